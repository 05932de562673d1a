import type { Program } from '../vm/bytecode/program.js';
import { execute } from './execute.js';
import { createVm, nativeNames } from './fullvm.js';
import { nodeHost, processStreams } from './host.js';
import { loadProgram } from './load.js';
import { Simulation } from './simulation.js';

/**
 * `svcc run --seeds N`: runs a program under a virtual clock with seeds 1 to N, and stops at the first that fails.
 * @returns the exit code @throws LoadError
 */
export async function runSeeds(file: string, args: string[], count: number, jit: number | null): Promise<number> {
  const streams = processStreams();
  let program: Program | null = null;
  for (let seed = 1; seed <= count; seed++) {
    let output = '';
    const keep = (text: string): void => {
      output += text;
    };
    const simulation = new Simulation(true, seed);
    const vm = createVm(nodeHost({ stdout: keep, stderr: keep }), {
      slice: simulation.slice,
      jit,
      simulation,
      process: { args, env: process.env },
      stdin: { readLine: () => Promise.resolve(null) },
    });
    program ??= await loadProgram(file, nativeNames(vm), streams.stderr);
    const code = await execute(vm, program);
    if (code === 0) continue;
    streams.stdout(output);
    streams.stderr(
      `seed ${seed} fails with exit code ${code}; to repeat it: SVC_CLOCK=virtual SVC_SEED=${seed} svcc run ${file}\n`,
    );
    return code;
  }
  streams.stdout(`${count} seed${count === 1 ? '' : 's'}, no failure\n`);
  return 0;
}
