/*
 * Tests of what a value is avoid `instanceof`: in code that V8 has not optimised, that looks for a method in the chain
 * of prototypes. A field that only one class has tells as much.
 */

/** A test of a field of `x`; false if `x` is no object. */
export function ofObject(x: string, test: (x: string) => string): string {
  return `typeof ${x}==='object'&&${x}!==null&&${test(x)}`;
}

/** The test whether `x` is an instance of a class. */
export function isInstance(x: string, type: 'Float' | 'Hash' | 'RecordValue'): string {
  return `typeof ${x}==='object'&&${x} instanceof ${type}`;
}
