"""Reads JSON with a parser of its own, changes it, and writes it again."""
import re
import sys

BLANKS = (" ", "\n", "\t", "\r")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/"}


class JsonError(Exception):
    pass


class Parser:
    def __init__(self, text):
        self.text = text
        self.pos = 0

    def parse(self):
        value = self.parse_value()
        self.skip_blanks()
        if self.pos < len(self.text):
            self.fail(f"unexpected {self.text[self.pos]}")
        return value

    def fail(self, message):
        raise JsonError(f"{message} at {self.pos}")

    def char(self):
        return self.text[self.pos] if self.pos < len(self.text) else None

    def skip_blanks(self):
        while self.char() in BLANKS:
            self.pos += 1

    def parse_value(self):
        self.skip_blanks()
        match self.char():
            case "{":
                return self.parse_object()
            case "[":
                return self.parse_array()
            case '"':
                return self.parse_string()
            case "t":
                return self.parse_word("true", True)
            case "f":
                return self.parse_word("false", False)
            case "n":
                return self.parse_word("null", None)
            case None:
                self.fail("unexpected end")
            case _:
                return self.parse_number()

    def parse_word(self, word, value):
        if self.text[self.pos : self.pos + len(word)] != word:
            self.fail(f"unexpected {self.char()}")
        self.pos += len(word)
        return value

    def expect(self, char):
        self.skip_blanks()
        if self.char() != char:
            self.fail(f"expected {char}")
        self.pos += 1

    def parse_object(self):
        found = {}
        self.pos += 1
        self.skip_blanks()
        if self.char() == "}":
            self.pos += 1
            return found
        while True:
            self.skip_blanks()
            key = self.parse_string()
            self.expect(":")
            found[key] = self.parse_value()
            if self.closes("}"):
                return found

    def parse_array(self):
        found = []
        self.pos += 1
        self.skip_blanks()
        if self.char() == "]":
            self.pos += 1
            return found
        while True:
            found.append(self.parse_value())
            if self.closes("]"):
                return found

    def closes(self, bracket):
        self.skip_blanks()
        char = self.char()
        if char != "," and char != bracket:
            self.fail(f"expected , or {bracket}")
        self.pos += 1
        return char == bracket

    def parse_string(self):
        self.expect('"')
        found = ""
        while True:
            char = self.char()
            if char is None:
                self.fail("unterminated text")
            self.pos += 1
            if char == '"':
                return found
            if char == "\\":
                escape = ESCAPES.get(self.char())
                if escape is None:
                    self.fail("unknown escape")
                found += escape
                self.pos += 1
            else:
                found += char

    def parse_number(self):
        start = self.pos
        while self.pos < len(self.text) and self.text[self.pos] in "+-.eE0123456789":
            self.pos += 1
        digits = self.text[start : self.pos]
        if not digits:
            self.fail(f"unexpected {self.char()}")
        return float(digits) if re.search("[.eE]", digits) else int(digits)


def write(value):
    if value is None:
        return "null"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{','.join(write(item) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{quote(key)}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def quote(text):
    return '"' + re.sub(r'["\\\n]', lambda m: "\\n" if m[0] == "\n" else "\\" + m[0], text) + '"'


def transform(value):
    """Renames keys, leaves out nulls, and makes numbers of cents from prices."""
    match value:
        case list():
            return [transform(item) for item in value]
        case dict():
            changed = {}
            for key, item in value.items():
                if item is None:
                    continue
                if key == "price" and isinstance(item, (int, float)):
                    changed["cents"] = round(item * 100)
                elif key.startswith("is_"):
                    changed[key.removeprefix("is_")] = item
                else:
                    changed[key.upper()] = transform(item)
            return changed
        case _:
            return value


def document(count):
    items = [
        f'  {{"id": {i}, "name": "Item \\"{i % 17}\\"", "price": {i % 90}.{i % 4 * 25}, '
        f'"is_new": {"true" if i % 3 == 0 else "false"}, "tags": ["t{i % 5}", "u\\n{i % 7}", []], '
        f'"seller": {{"name": "S{i % 11}", "rating": {i % 50}, "note": null}}}}'
        for i in range(count)
    ]
    listed = ",\n".join(items)
    return f'{{\n "count": {count},\n "items": [\n{listed}\n ]\n}}\n'


def main():
    count = int(sys.argv[1])
    source = document(count)
    data = Parser(source).parse()
    text = write(transform(data))
    again = write(Parser(text).parse())
    print(f"{len(source)} characters, written {len(text)}, {'the same again' if again == text else 'different'}")
    print(round(sum(item["price"] for item in data["items"]), 2))
    print(text[:240])
    for broken in ["[1, 2", '{"a" 1}', "[tru]", '"abc', "[1] 2"]:
        try:
            Parser(broken).parse()
        except JsonError as error:
            print(f"{broken}: {error}")


main()
