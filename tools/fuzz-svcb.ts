import { fuzzSvcb } from './fuzz/svcb.js';

// npx tsx tools/fuzz-svcb.ts [COUNT] [SEED]: decodes, verifies and runs mutants of artefacts.
const [count = '20000', seed = '1'] = process.argv.slice(2);
const { faults, ...rest } = fuzzSvcb(Number(count), Number(seed), (line) => console.log(line));
console.log(JSON.stringify(rest));
for (const fault of faults.slice(0, 20)) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
