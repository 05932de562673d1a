def build(count):
    lines = []
    for i in range(count):
        lines.append(f"item {i}: {i * 7 % 1000} of {i % 13}")
    return "\n".join(lines)


def digest(text):
    out = ""
    for line in text.split("\n"):
        name = line.split(":")[0]
        if name.endswith("7"):
            out += name.upper().replace("ITEM", "no.") + ";"
        elif "999" in line:
            out += line[5:10][::-1] + ","
    return out


def run():
    out = digest(build(20_000))
    return f"{len(out)} {out[:21]} {out[-20:]}"
