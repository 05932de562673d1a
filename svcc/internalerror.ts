let condition: () => boolean = () => false;

/** Sets the condition under which the process must not end: while requests are being served. */
export function goOnWhile(when: () => boolean): void {
  condition = when;
}

/** Whether the process must continue despite an internal error or lost output. */
export function mustGoOn(): boolean {
  return condition();
}

export const PLEASE_REPORT = 'This is a bug in svcc; please report it (SVC_DEBUG=1 shows more).';

/** The message of an error; with SVC_DEBUG its JavaScript stack. */
export function errorText(error: unknown): string {
  return process.env.SVC_DEBUG !== undefined && error instanceof Error
    ? String(error.stack)
    : String((error as Error | null)?.message ?? error);
}

/** Reports a bug in Svc. The JavaScript stack is shown only with SVC_DEBUG. */
export function internalError(error: unknown): void {
  process.stderr.write(`svcc: internal error: ${errorText(error)}\n${PLEASE_REPORT}\n`);
  if (!mustGoOn()) process.exit(1);
}
