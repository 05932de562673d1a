"""Simulates machines that work on jobs of several priorities. Events and waiting jobs are in binary heaps."""
import sys
from collections import defaultdict
from dataclasses import dataclass, replace


@dataclass(slots=True)
class Job:
    id: int
    priority: int
    arrived: int
    work: int
    tries: int = 0

    def before(self, other):
        if self.priority != other.priority:
            return self.priority > other.priority
        return self.id < other.id if self.arrived == other.arrived else self.arrived < other.arrived


@dataclass(slots=True)
class Event:
    time: int
    number: int
    kind: str
    job: Job
    machine: int | None = None

    def before(self, other):
        return self.number < other.number if self.time == other.time else self.time < other.time


class Heap:
    def __init__(self):
        self.items = []

    def __len__(self):
        return len(self.items)

    def push(self, item):
        items = self.items
        items.append(item)
        i = len(items) - 1
        while i > 0:
            parent = (i - 1) // 2
            if not item.before(items[parent]):
                break
            items[i] = items[parent]
            i = parent
        items[i] = item

    def pop(self):
        top = self.items[0]
        last = self.items.pop()
        if self.items:
            self.sink(last)
        return top

    def sink(self, item):
        items = self.items
        i = 0
        half = len(items) // 2
        while i < half:
            child = 2 * i + 1
            right = child + 1
            if right < len(items) and items[right].before(items[child]):
                child = right
            if not items[child].before(item):
                break
            items[i] = items[child]
            i = child
        items[i] = item


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


class Factory:
    def __init__(self, machines, random):
        self.random = random
        self.events = Heap()
        self.waiting = Heap()
        self.free = list(range(machines))
        self.waits = defaultdict(int)
        self.done = defaultdict(int)
        self.number = self.failed = self.longest = self.checksum = 0

    def run(self, jobs):
        time = 0
        for job in range(jobs):
            time += self.random.below(12)
            self.schedule(time, "arrival", Job(job, self.random.below(4), time, 10 + self.random.below(60)))
        while self.events:
            self.handle(self.events.pop())

    def schedule(self, time, kind, job, machine=None):
        self.events.push(Event(time, self.number, kind, job, machine))
        self.number += 1

    def handle(self, event):
        if event.kind == "arrival":
            self.waiting.push(event.job)
        elif event.kind == "finish":
            self.free.append(event.machine)
            self.finish(event)
        self.assign(event.time)

    def assign(self, time):
        while self.free and self.waiting:
            job = self.waiting.pop()
            self.waits[job.priority] += time - job.arrived
            self.schedule(time + job.work, "finish", job, self.free.pop())
        self.longest = max(self.longest, len(self.waiting))

    def finish(self, event):
        job = event.job
        self.checksum = (self.checksum * 31 + job.id + event.time) % 1_000_003
        if self.random.below(20) == 0 and job.tries < 2:
            self.failed += 1
            self.waiting.push(replace(job, tries=job.tries + 1, arrived=event.time))
        else:
            self.done[job.priority] += 1


def main():
    factory = Factory(7, Random(3))
    factory.run(int(sys.argv[1]))
    print(
        f"{factory.number} events, {factory.failed} tries failed, at most {factory.longest} waited, "
        f"checksum {factory.checksum}"
    )
    for priority in reversed(range(4)):
        count = factory.done[priority]
        average = 0 if count == 0 else factory.waits[priority] // count
        print(f"priority {priority}: {count} done, waited {average} on average")


main()
