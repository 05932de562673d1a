import type { Test } from 'tap';
import fc from '../../property.js';

/** Asserts a property. A failure shows the smallest counterexample. */
export function check<T>(t: Test, property: fc.IProperty<T>, options: fc.Parameters<T> = {}): void {
  fc.assert(property, options);
  t.pass();
}
