"""Converts a long text in Markdown to HTML: headings, paragraphs, lists, quotes, code, tables, and marks inside of lines."""
import re
import sys
from collections import defaultdict, namedtuple

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escape(text):
    return re.sub(r'[&<>"]', lambda match: ENTITIES[match[0]], text)


def inline(text):
    return "".join(
        f"<code>{escape(part[1:-1])}</code>" if part.startswith("`") and len(part) > 2 else marked(escape(part))
        for part in re.split(r"(`[^`]+`)", text)
    )


def marked(text):
    text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", r'<img alt="\1" src="\2">', text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", text)


Heading = namedtuple("Heading", "level title id")


class Converter:
    def __init__(self, lines):
        self.lines = lines
        self.pos = 0
        self.out = []
        self.headings = []
        self.ids = defaultdict(int)

    def convert(self):
        while self.pos < len(self.lines):
            self.block()
        return "\n".join(self.out)

    def block(self):
        line = self.lines[self.pos]
        if re.match(r"\s*$", line):
            self.pos += 1
        elif re.match("```", line):
            self.code(line[3:].strip())
        elif re.match("#{1,6} ", line):
            self.heading(line)
        elif re.match(r"(-{3,}|\*{3,})$", line):
            self.out.append("<hr>")
            self.pos += 1
        elif re.match(">", line):
            self.quote()
        elif re.match("[-*] ", line):
            self.list("ul", r"^[-*] +")
        elif re.match(r"\d+\. ", line):
            self.list("ol", r"^\d+\. +")
        elif re.match(r"\|", line):
            self.table()
        else:
            self.paragraph()

    def taken(self, pattern):
        """The lines from here that match, without what matches."""
        found = []
        while self.pos < len(self.lines) and re.search(pattern, self.lines[self.pos]):
            found.append(re.sub(pattern, "", self.lines[self.pos], count=1))
            self.pos += 1
        return found

    def code(self, language):
        self.pos += 1
        found = []
        while self.pos < len(self.lines) and not self.lines[self.pos].startswith("```"):
            found.append(escape(self.lines[self.pos]))
            self.pos += 1
        self.pos += 1
        code = "\n".join(found)
        self.out.append(f'<pre><code class="{language}">{code}</code></pre>')

    def heading(self, line):
        level = line.index(" ")
        title = line[level:].strip()
        id = re.sub(r"[^a-z0-9]+", "-", title.lower())
        self.ids[id] += 1
        if self.ids[id] > 1:
            id = f"{id}-{self.ids[id]}"
        self.headings.append(Heading(level, title, id))
        self.out.append(f'<h{level} id="{id}">{inline(title)}</h{level}>')
        self.pos += 1

    def quote(self):
        inner = Converter(self.taken("^> ?"))
        self.out.append(f"<blockquote>\n{inner.convert()}\n</blockquote>")

    def list(self, tag, marker):
        self.out.append(f"<{tag}>")
        for item in self.taken(marker):
            self.out.append(f"<li>{inline(item)}</li>")
        self.out.append(f"</{tag}>")

    def table(self):
        rows = [[cell.strip() for cell in row.removesuffix("|").split("|")] for row in self.taken(r"^\|")]
        self.out.append("<table>")
        for i, row in enumerate(rows):
            if i == 1:
                continue
            cell = "th" if i == 0 else "td"
            self.out.append(f"<tr>{''.join(f'<{cell}>{inline(text)}</{cell}>' for text in row)}</tr>")
        self.out.append("</table>")

    def paragraph(self):
        found = []
        while self.pos < len(self.lines) and not re.search(
            r"^\s*$|^#{1,6} |^```|^[>|]|^[-*] ", self.lines[self.pos]
        ):
            found.append(inline(self.lines[self.pos].strip()))
            self.pos += 1
        text = "\n".join(found)
        self.out.append(f"<p>{text}</p>")


def section(n):
    return f"""\
{"#" * (n % 3 + 1)} Section {n % 10}: *Notes* & <more>

This is the **first** line of part {n}, with `code < {n}` and a [link](/pages/{n}?a=1&b=2).
It goes on with *some words*, an image ![of {n}](/images/{n}.png), and "quotes".

- first item with **bold {n}**
- second item, `x && y`
- third

> Someone said *{n}* times:
> **nothing** is as it seems.
>
> 1. really
> 2. truly

```svc
if {n} < 5 && ready
  puts "<ok>"
end
```

| name | value |
|---|---|
| a{n} | **{n * 7}** |
| b | `{n}` |

---
"""


def main():
    source = "\n".join(section(n) for n in range(1, int(sys.argv[1]) + 1))
    converter = Converter(source.splitlines())
    html = converter.convert()
    print(f"{len(source)} characters of Markdown, {len(html)} of HTML, {len(converter.headings)} headings")
    checksum = 7
    for char in html:
        checksum = (checksum * 31 + ord(char)) % 1_000_003
    print(checksum)
    print(f"[{', '.join(f'{h.level} {h.id}' for h in converter.headings[-2:])}]")
    print(html[:700])


main()
