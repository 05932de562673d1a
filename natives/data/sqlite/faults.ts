import { CANCELLED, type Fault, TOO_LARGE } from './protocol.js';

/** Thrown by a request that has been cancelled. */
export class CancelledFault extends Error {}

/** Thrown by a request with a row that is larger than the limits. */
export class TooLargeFault extends Error {}

/** SQLite's extended code of an error that one of the libraries threw; 0 for other errors. */
export function codeOf(error: unknown): number {
  const { errcode, rawCode } = error as { errcode?: number; rawCode?: number };
  return errcode ?? rawCode ?? 0;
}

export function faultOf(error: unknown): Fault {
  if (error instanceof CancelledFault) return { code: CANCELLED, message: '' };
  if (error instanceof TooLargeFault) return { code: TOO_LARGE, message: error.message };
  return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
}

export const TOO_MANY_FILES = 'too many files are open';

/** Whether an error of Node.js or libsql says that no descriptor is free. */
export function lacksDescriptors(error: unknown): boolean {
  return error instanceof Error && /\b(?:EMFILE|ENFILE|os error 2[34])\b/.test(error.message);
}

/** Message for a database that cannot be opened. */
export function unopened(path: string, reason: string): string {
  return `cannot open the database ${path}: ${reason}`;
}
