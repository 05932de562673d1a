import { randomBytes } from 'node:crypto';

const prefix = randomBytes(6).toString('hex');
let count = 0;

/** The identifier a client gave its request, when it is a sensible one, or a new one. */
export function newId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given;
  return `${prefix}-${(++count).toString(36)}`;
}
