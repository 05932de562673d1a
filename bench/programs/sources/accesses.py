"""Analyses the access log of a web server: requests by status, area, hour and user, slow paths, unreadable lines."""
import re
import sys
from collections import Counter, namedtuple

LINE = re.compile(
    r'^(\S+) - (\S+) \[([^:]+):(\d\d):(\d\d):(\d\d) [^\]]+\] "(\S+) (\S+) [^"]+" (\d{3}) (\d+) (\d+)$'
)

Entry = namedtuple("Entry", "address user hour method path status bytes ms")


class Area:
    def __init__(self, name):
        self.name = name
        self.requests = self.bytes = self.errors = 0
        self.times = []

    def add(self, entry):
        self.requests += 1
        self.bytes += entry.bytes
        if entry.status >= 500:
            self.errors += 1
        self.times.append(entry.ms)

    def percentile(self, part):
        return sorted(self.times)[(len(self.times) - 1) * part // 100]


class Analysis:
    def __init__(self):
        self.lines = 0
        self.unreadable = []
        self.statuses = Counter()
        self.hours = Counter()
        self.users = Counter()
        self.areas = {}
        self.addresses = set()
        self.slowest = []

    def read(self, line):
        self.lines += 1
        entry = parse(line)
        if entry is None:
            self.unreadable.append(self.lines)
            return
        self.statuses[entry.status] += 1
        self.hours[entry.hour] += 1
        if entry.user != "-":
            self.users[entry.user] += entry.bytes
        self.addresses.add(entry.address)
        name = area_of(entry.path)
        if name not in self.areas:
            self.areas[name] = Area(name)
        self.areas[name].add(entry)
        if entry.ms > 2900:
            self.note_slow(entry)

    def note_slow(self, entry):
        self.slowest.append(entry)
        if len(self.slowest) >= 50:
            self.slowest = sorted(self.slowest, key=lambda slow: (-slow.ms, slow.path))[:5]


def parse(line):
    m = LINE.match(line)
    if m is None:
        return None
    return Entry(m[1], m[2], int(m[4]), m[7], m[8], int(m[9]), int(m[10]), int(m[11]))


def area_of(path):
    path = path.split("?")[0]
    return f"/{path.split('/')[1]}"


def main():
    analysis = Analysis()
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            analysis.read(line.rstrip("\n"))

    print(f"{analysis.lines:,} lines from {len(analysis.addresses)} addresses, {len(analysis.unreadable)} unreadable")
    print("status  requests")
    for status, count in sorted(analysis.statuses.items()):
        print(f"{status}  {count:>11,}")
    print("area             requests          bytes  errors   p50   p95   p99")
    for area in sorted(analysis.areas.values(), key=lambda area: (-area.requests, area.name)):
        times = " ".join(f"{area.percentile(part):>5}" for part in (50, 95, 99))
        print(f"{area.name:<12} {area.requests:>12,} {area.bytes:>14,} {area.errors:>7} {times}")
    hour, count = max(analysis.hours.items(), key=lambda pair: (pair[1], -pair[0]))
    print(f"busiest hour: {hour:02d} with {count:,}")
    for user, size in sorted(analysis.users.items(), key=lambda pair: (-pair[1], pair[0]))[:3]:
        print(f"{user:<6}{size / 1024:.1f} KB")
    for slow in sorted(analysis.slowest, key=lambda slow: (-slow.ms, slow.path))[:3]:
        print(f"{slow.ms} ms {slow.method} {slow.path}")


main()
