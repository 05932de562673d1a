"""Splits the source text of a small language into tokens with one regex, line by line, and sums up what it finds."""
import re
import sys
from collections import defaultdict, namedtuple

TOKEN = re.compile(
    r"""
  (?P<space>\s+)
  | (?P<comment>\#.*)
  | (?P<number>\d+(?:\.\d+)?)
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator>==|!=|<=|>=|->|&&|\|\||[-+*/%<>=!.,:;])
  | (?P<bracket>[()\[\]{}])
  | (?P<wrong>.)
""",
    re.X,
)
KINDS = ["space", "comment", "number", "text", "word", "operator", "bracket", "wrong"]
KEYWORDS = {"def", "end", "if", "else", "while", "return", "let", "true", "false"}
CLOSERS = {")": "(", "]": "[", "}": "{"}

Token = namedtuple("Token", "kind text line column")


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n

    def pick(self, items):
        return items[self.below(len(items))]


class Report:
    def __init__(self):
        self.counts = defaultdict(int)
        self.names = defaultdict(int)
        self.deepest = 0
        self.problems = []
        self.sum = 0.0

    def add(self, token, opened):
        self.counts[token.kind] += 1
        if token.kind == "name":
            self.names[token.text] += 1
        elif token.kind == "number":
            self.sum += float(token.text)
        elif token.kind == "bracket":
            self.bracket(token, opened)
        elif token.kind == "wrong":
            self.problems.append(f"{token.line}:{token.column}: unexpected {token.text}")

    def bracket(self, token, opened):
        expected = CLOSERS.get(token.text)
        if expected is None:
            opened.append(token)
            self.deepest = max(self.deepest, len(opened))
        elif not opened or opened[-1].text != expected:
            self.problems.append(f"{token.line}:{token.column}: unmatched {token.text}")
        else:
            opened.pop()


def expression(random, depth):
    kind = random.below(8 if depth > 0 else 4)
    if kind == 0:
        return str(random.below(1000))
    if kind == 1:
        return f"{random.below(100)}.{random.below(10)}"
    if kind <= 3:
        return random.pick(["total", "price", "count", "index", "_rest"])
    if kind == 4:
        return f'"text \\"{random.below(50)}\\""'
    if kind == 5:
        left = expression(random, depth - 1)
        operator = random.pick(["+", "*", "<=", "&&"])
        return f"({left} {operator} {expression(random, depth - 1)})"
    if kind == 6:
        return f"f{random.below(9)}({expression(random, depth - 1)}, {expression(random, depth - 1)})"
    return f"items[{expression(random, depth - 1)}]"


def statement(random):
    kind = random.below(10)
    if kind == 0:
        return f"# remark number {random.below(100)}"
    if kind == 1:
        return f"while {expression(random, 1)} {{ count = count - 1 }}"
    if kind == 2:
        return f"if {expression(random, 2)} {{ return {expression(random, 1)} }} else {{ return false }}"
    if kind == 3:
        return "let strange = 5 $ 3)" if random.below(10) == 0 else f"def f{random.below(9)}(x, y) -> x"
    return f"let {random.pick(['total', 'price', 'size'])} = {expression(random, 3)};"


def kind_of(match):
    return next(kind for kind in KINDS if match[kind] is not None)


def tokens(line, number):
    column = 1
    found = []
    for match in TOKEN.finditer(line):
        text = match[0]
        kind = kind_of(match)
        if kind == "word":
            kind = "keyword" if text in KEYWORDS else "name"
        if kind != "space" and kind != "comment":
            found.append(Token(kind, text, number, column))
        column += len(text)
    return found


def main():
    random = Random(7)
    source = "\n".join(statement(random) for _ in range(int(sys.argv[1])))
    report = Report()
    opened = []
    for i, line in enumerate(source.splitlines()):
        for token in tokens(line, i + 1):
            report.add(token, opened)
    print(
        f"{len(source)} characters, {sum(report.counts.values())} tokens, depth {report.deepest}, sum {report.sum:.1f}"
    )
    for kind, count in sorted(report.counts.items()):
        print(f"{kind:<10}{count}")
    for name, count in sorted(report.names.items(), key=lambda pair: (-pair[1], pair[0]))[:5]:
        print(f"{name:<10}{count}")
    print(f"{len(report.problems)} problems")
    print("\n".join(report.problems[:3]))


main()
