import { OVER_INTEGER, OVER_LIST, OVER_RANGE } from '../../interpreter/feedback.js';
import type { Instruction } from '../../bytecode/decode.js';
import type { Emitter, Generator } from './generator.js';
import { MAX_ELEMENTS } from '../../values/limits.js';
import type { CountedLoop } from '../analysis/loops.js';
import { all, areNumbers, rangeOf } from './operands.js';

/** Maximum length of a vector allocated in advance. */
const MAX_PREALLOCATED_ELEMENTS = 1 << 16;

const isNumber = (x: string): string => `typeof ${x}==='number'`;

/** Emits a range. A range of literals is a constant; one used only by a counted loop is not created. */
export function range(exclusive: boolean): Emitter {
  return (g, instruction) => {
    const { a, b, c } = instruction;
    const loop = g.loopFrom(1);
    const made = rangeOf(g, instruction);
    if (loop?.maker === g.at) countNumbers(g, a, areNumbers(g, b, c), `r${b}`, `r${c}`, exclusive ? '' : '+1');
    else if (made === null) g.out(`r${a}=newRange(r${b},r${c},${exclusive});`);
    else {
      g.literals.make(made);
      g.out(`r${a}=${g.value(made)};`);
    }
  };
}

/** Starts a loop from `lo` to `hi`, which are assumed to be small Integers: `numbers` tests it. */
function countNumbers(g: Generator, r: number, numbers: string, lo: string, hi: string, more: string): void {
  g.guard(all(numbers, `${hi}<${Number.MAX_SAFE_INTEGER}`));
  g.out(`x${r}=${lo};l${r}=${hi}${more};`);
}

export function iteration(g: Generator, instruction: Instruction): void {
  const { a, b, immediate, extras } = instruction;
  const loop = g.loopFrom(0);
  if (loop === undefined) {
    g.out(g.operator(`iterate(r${b},${immediate},${g.value(g.fn.constants[extras.K])})`, `r${a}=u;`));
    return;
  }
  if (loop.maker === g.at) beginLoop(g, instruction, loop);
  const appending = g.appendLoop(1);
  if (appending === undefined) return;
  const count = loop.over === OVER_LIST ? `l${a}.length` : `l${a}-x${a}`;
  g.out(
    `${loop.over === OVER_LIST ? '' : `o${a}=x${a};`}if((t=${count})>0&&t<=${MAX_PREALLOCATED_ELEMENTS})r${appending.vector}=new Array(t);`,
  );
}

function beginLoop(g: Generator, { a, b }: Instruction, { over }: CountedLoop): void {
  const source = `r${b}`;
  if (over === OVER_INTEGER) countNumbers(g, a, isNumber(source), '0', source, '');
  else if (over === OVER_RANGE) {
    g.guard(`${source} instanceof Range`);
    countNumbers(
      g,
      a,
      all(isNumber(`${source}.lo`), isNumber(`${source}.hi`)),
      `${source}.lo`,
      `${source}.hi`,
      `+(${source}.exclusive?0:1)`,
    );
  } else {
    g.guard(`Array.isArray(${source})`);
    g.out(`l${a}=${source};x${a}=0;`);
  }
}

/** Puts the next element of iterator `r` into `to`, or jumps to `target` at the end. */
export function nextElement(g: Generator, r: number, target: number, to: string): void {
  const loop = g.loopOver(r);
  if (loop === undefined) {
    g.out(`if((u=r${r}.next())===undefined)${g.goTo(target)}${g.leaveIf('u===PULL')}${to}=u;`);
    return;
  }
  const appending = g.appendLoop(0);
  // The list may have become shorter during the loop.
  const trim = appending?.next === g.at ? `cut(r${appending.vector},${g.exits.appendedCount(appending)});` : '';
  const end = loop.over === OVER_LIST ? `l${r}.length` : `l${r}`;
  g.out(`if(x${r}>=${end}){${trim}${g.goTo(target)}}${to}=${loop.over === OVER_LIST ? `l${r}[x${r}++]` : `x${r}++`};`);
}

export function next2(g: Generator, { a, b, c, target }: Instruction): void {
  nextElement(g, c, target, 'u');
  g.out(`r${a}=itemAt(u,0);r${b}=itemAt(u,1);`);
}

export function append(g: Generator, { a, b, c }: Instruction): void {
  const appending = g.appendLoop(0);
  if (appending?.append === g.at) {
    const count = g.exits.appendedCount(appending);
    // A list of the loop is not longer than a vector may be.
    if (appending.loop.over !== OVER_LIST) g.guard(`${count}<${MAX_ELEMENTS}`);
    g.out(`r${b}[${count}]=r${c};`);
  } else {
    const other = g.operator(`append(r${b},r${c})`, `r${a}=u;`);
    g.out(`if(Array.isArray(r${b})&&r${b}.length<${MAX_ELEMENTS}){r${b}.push(r${c});r${a}=r${b};}else${other}`);
  }
}
