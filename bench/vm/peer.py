"""Measures one Python program (argument: its path) when asked, like worker.ts."""
import importlib.util
import json
import os
import sys
import time

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)

clock = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter

for request in sys.stdin:
    least = json.loads(request)["minMs"]
    runs = 0
    start = clock()
    while True:
        result = program.run()
        runs += 1
        elapsed = (clock() - start) * 1000
        if elapsed >= least:
            break
    print(json.dumps({"ms": elapsed / runs, "result": str(result)}), flush=True)
