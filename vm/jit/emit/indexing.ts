import { CHARACTER, ELEMENT, ENTRY, HANDLE, SLOT } from '../../interpreter/feedback.js';
import type { Instruction } from '../../bytecode/decode.js';
import type { Generator } from './generator.js';
import { KeyCache } from '../keycache.js';
import { ofObject } from './kinds.js';

/** How to read an element of a vector: for an index from the end, by the length. */
function element(g: Generator, { b, c }: Instruction): { condition: string; value: string } {
  const [v, i, constant] = [`r${b}`, `r${c}`, g.literals.in(c)];
  if (typeof constant !== 'number') return { condition: isElement(v, i), value: `${v}[${i}]` };
  return constant < 0
    ? { condition: `Array.isArray(${v})&&${v}.length>=${-constant}`, value: `${v}[${v}.length-${-constant}]` }
    : { condition: `Array.isArray(${v})&&${v}.length>${constant}`, value: `${v}[${constant}]` };
}

const isElement = (v: string, i: string): string =>
  `typeof ${i}==='number'&&Array.isArray(${v})&&${i}>=0&&${i}<${v}.length`;
const isKey = (key: string): string => `(typeof ${key}==='string'||typeof ${key}==='number')`;
const isDictionary = (v: string): string => ofObject(v, () => `${v}.shape===null`);
/** Condition that a hash has the cached shape, and the key is the cached one. */
const isCached = (v: string, i: string, cache: string): string =>
  ofObject(v, () => `${i}===${cache}.key&&${v}.shape===${cache}.shape`);

/** The kinds of accesses to handle inline: those seen, or elements where none was. */
const expectedAccesses = (g: Generator, pc: number): number => g.feedback(pc) || ELEMENT;

/**
 * Reads inline what was read here before: elements of vectors, the last key of a hash, keys of dictionaries,
 * characters. Otherwise calls the VM.
 */
export function index(g: Generator, instruction: Instruction): void {
  const [a, v, i] = [`r${instruction.a}`, `r${instruction.b}`, `r${instruction.c}`];
  const kinds = expectedAccesses(g, instruction.pc);
  const cache = g.value(new KeyCache(g.fn, instruction.pc, kinds));
  const { condition, value } = element(g, instruction);
  const cases: readonly (readonly [kind: number, code: string])[] = [
    [ELEMENT, `if(${condition})${a}=${value};`],
    [SLOT, `if(${isCached(v, i, cache)})${a}=${v}.slots[${cache}.slot];`],
    [ENTRY, `if(${isDictionary(v)}&&${isKey(i)}&&(u=${v}.find(${i}))!==undefined)${a}=u;`],
    [HANDLE, `if(${v} instanceof Handle&&${isKey(i)}&&(u=${v}.elementAt(${i}))!==undefined)${a}=u;`],
    [CHARACTER, `if(typeof ${v}==='string'&&typeof ${i}==='number')${g.fuel.within(`${a}=characterAt(${v},${i});`)}`],
  ];
  outCases(g, kinds, cases, g.fuel.within(g.answered(instruction, `index(${v},${i},${cache})`)));
}

/** As `index`, for a statement that stores a value. */
export function setIndex(g: Generator, { a, b, c, pc }: Instruction): void {
  const [v, i, x] = [`r${a}`, `r${b}`, `r${c}`];
  const kinds = expectedAccesses(g, pc);
  const cache = g.value(new KeyCache(g.fn, pc, kinds));
  const cases: readonly (readonly [kind: number, code: string])[] = [
    [ELEMENT, `if(${isElement(v, i)})${v}[${i}]=${x};`],
    [SLOT, `if(${isCached(v, i, cache)})${v}.slots[${cache}.slot]=${x};`],
    [ENTRY, `if(${isDictionary(v)}&&${isKey(i)})${v}.put(${i},${x});`],
  ];
  outCases(g, kinds, cases, g.operator(`setIndex(${v},${i},${x},${cache})`, ''));
}

/** Emits the cases of these kinds, each of which is an `if`, then `otherwise`. */
function outCases(
  g: Generator,
  kinds: number,
  cases: readonly (readonly [kind: number, code: string])[],
  otherwise: string,
): void {
  const expected = cases.filter(([kind]) => (kinds & kind) !== 0).map(([, code]) => `${code}else `);
  g.out(expected.join('') + otherwise);
}
