"""Builds texts: wrapped and justified paragraphs, a table, an index of words, a letter for each customer."""
import re
import sys
from collections import defaultdict

SYLLABLES = ["ka", "to", "mi", "ren", "sol", "da", "vu", "pel", "or", "ans", "ti", "gre", "bo", "len", "ma"]
TEMPLATE = """\
Dear {{title}} {{name}},

you have bought {{count}} things for {{total}} in {{city}}. {{remark}}
Your number is {{number}}; {{missing}} is left empty.
"""


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


def word(random):
    return "".join([SYLLABLES[random.below(len(SYLLABLES))] for _ in range(random.below(3) + 1)])


def sentence(random):
    words = [word(random) for _ in range(5 + random.below(10))]
    words[random.below(len(words))] += ","
    return f"{' '.join(words).capitalize()}."


def paragraph(random):
    return " ".join([sentence(random) for _ in range(4 + random.below(4))])


def wrap(text, width):
    lines = []
    line = ""
    for part in text.split():
        if not line:
            line = part
        elif len(line) + 1 + len(part) <= width:
            line += " " + part
        else:
            lines.append(line)
            line = part
    if line:
        lines.append(line)
    return lines


def justify(line, width):
    """Fills the gaps of a line up to the width, the first ones more."""
    words = line.split()
    if len(words) < 2:
        return line
    gaps = len(words) - 1
    blanks = width - sum(len(part) for part in words)
    text = words[0]
    for i in range(1, len(words)):
        text += " " * (blanks // gaps + (1 if i <= blanks % gaps else 0)) + words[i]
    return text


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [rule]
    for n, row in enumerate(rows):
        cells = [cell.ljust(widths[i]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)]
        lines.append(f"| {' | '.join(cells)} |")
        if n == 0:
            lines.append(rule)
    lines.append(rule)
    return "\n".join(lines)


def index(pages):
    found = defaultdict(list)
    for i, page in enumerate(pages):
        for part in dict.fromkeys(re.sub(r"[^a-z\s]", "", page.lower()).split()):
            found[part].append(i + 1)
    return found


def letter(values):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str(values.get(match[1], "")), TEMPLATE)


def shifted(char, by):
    if "a" <= char <= "z":
        return chr((ord(char) - 97 + by) % 26 + 97)
    if "A" <= char <= "Z":
        return chr((ord(char) - 65 + by) % 26 + 65)
    return char


def caesar(text, by):
    return "".join([shifted(char, by) for char in text])


def main():
    pages = int(sys.argv[1])
    random = Random(17)
    out = []
    texts = [paragraph(random) for _ in range(pages)]
    for i, text in enumerate(texts):
        lines = wrap(text, 60)
        out.append(f"{i + 1}. ".rjust(6) + justify(lines[0], 54))
        for line in lines[1:-1]:
            out.append(justify(line, 60))
        out += [lines[-1], ""]

    words = index(texts)
    common = sorted(words.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:8]
    rows = [[part, str(len(places)), str(places[0]), str(places[-1])] for part, places in common]
    out.append(table([["word", "pages", "first", "last"], *rows]))

    for i in range(1, pages + 1):
        values = {
            "title": "Ms" if i % 2 == 0 else "Mr",
            "name": word(random).capitalize(),
            "count": i % 7,
            "total": f"{i * 1.25:.2f}",
            "city": word(random).upper(),
            "remark": "Thank you!" if i % 3 == 0 else "",
            "number": f"{i * 37:06d}",
        }
        out.append(letter(values))

    text = "\n".join(out)
    secret = caesar(text, 7)
    if caesar(secret, 19) != text:
        raise RuntimeError("the secret is lost")
    print(f"{pages} pages, {len(text)} characters, {len(text.splitlines())} lines, {len(words)} words")
    checksum = 1
    for char in secret:
        checksum = (checksum * 33 + ord(char)) % 1_000_003
    print(checksum)
    print(text[:400])
    print(table(rows[:3]))
    print(out[-1], end="")


main()
