import { verifyFlow, type Flow } from '../bytecode/flow.js';
import type { MethodTables } from '../calls/members.js';
import type { Fn } from '../values/function.js';
import { Layout } from './analysis/layout.js';
import { Liveness } from './analysis/liveness.js';
import { emitters } from './emit/emitters.js';
import { floats } from './emit/floats.js';
import { Generator, type Generated } from './emit/generator.js';

/** Maximum words of code that is compiled as one function: V8 would not optimise larger ones and is slow to parse them. */
const MAX_WORDS = 8000;
/**
 * Maximum registers of a function compiled for calls, whose frames add up on the stack (`limitDepth`); code for a loop
 * has only one frame.
 */
const MAX_REGISTERS = 64;
const MAX_LOOP_REGISTERS = 256;
/** Maximum nesting of regions: V8's parser is recursive. */
const DEEPEST = 100;

/**
 * The generated source of a function, entered at its start (−1) or at the head of a loop; null if the function is too
 * large.
 */
export type Sources = (fn: Fn, entry: number) => Generated | null;

/**
 * Generates code for the functions of a VM. A file of its own in the bundle (`tools/build.ts`), which programs whose
 * code is kept do not load.
 */
export function sourcesFor(methods: MethodTables): Sources {
  /** The last function that was analysed: long programs have many loops. */
  let analysed: { fn: Fn; flow: Flow; live: Liveness } | null = null;

  function analysis(fn: Fn): { fn: Fn; flow: Flow; live: Liveness } {
    if (analysed?.fn !== fn) {
      const flow = verifyFlow({ code: fn.code, handlers: fn.handlers, name: fn.name });
      analysed = { fn, flow, live: new Liveness(flow, fn.handlers, fn.blank.length) };
    }
    return analysed;
  }

  return (fn, entry) => {
    if (fn.blank.length > (entry < 0 ? MAX_REGISTERS : MAX_LOOP_REGISTERS)) return null;
    if (entry < 0 && fn.code.length > MAX_WORDS) return null;
    const { flow, live } = analysis(fn);
    for (const region of flow.regions) {
      let depth = 0;
      for (let around = region.parent; around !== null; around = around.parent) if (++depth > DEEPEST) return null;
    }
    const layout = new Layout(fn, flow, live, entry);
    if (layout.words > MAX_WORDS) return null;
    return new Generator(fn, flow, live, layout, entry, emitters, floats, methods).generate();
  };
}
