import { randomBytes } from 'node:crypto';

const prefix = randomBytes(6).toString('hex');
let count = 0;

/** The identifier given by the client if it is well-formed, otherwise a new one. */
export function newId(given: string | string[] | undefined): string {
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given;
  return `${prefix}-${(++count).toString(36)}`;
}
