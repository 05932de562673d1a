"""Parses a file of Python's library with about as many lines as asked for, with CPython's own parser."""
import ast
import json
import os
import sys
import time

LIBRARY = os.path.dirname(os.__file__)


def read(name):
    with open(os.path.join(LIBRARY, name), encoding="utf-8", errors="replace") as file:
        return file.read()


TEXTS = {name: read(name) for name in sorted(os.listdir(LIBRARY)) if name.endswith(".py")}


def closest(lines):
    return min(TEXTS, key=lambda name: abs(TEXTS[name].count("\n") - lines))


clock = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter

for request in sys.stdin:
    request = json.loads(request)
    name = closest(request["lines"])
    text = TEXTS[name]
    runs = 0
    start = clock()
    while True:
        ast.parse(text)
        runs += 1
        elapsed = (clock() - start) * 1000
        if elapsed >= request["minMs"]:
            break
    result = json.dumps({"name": name, "lines": text.count("\n")})
    print(json.dumps({"ms": elapsed / runs, "result": result}), flush=True)
