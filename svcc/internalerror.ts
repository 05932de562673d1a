let condition: () => boolean = () => false;

/** Sets the condition under which the process must not end: while requests are being served. */
export function goOnWhile(when: () => boolean): void {
  condition = when;
}

/** Whether the process must continue despite an internal error or lost output. */
export function mustGoOn(): boolean {
  return condition();
}

/** Reports a bug in Svc. The JavaScript stack is shown only with SVC_DEBUG. */
export function internalError(error: unknown): void {
  const text =
    process.env.SVC_DEBUG !== undefined && error instanceof Error
      ? error.stack
      : String((error as Error | null)?.message ?? error);
  process.stderr.write(
    `svcc: internal error: ${text}\nThis is a bug in svcc; please report it (SVC_DEBUG=1 shows more).\n`,
  );
  if (!mustGoOn()) process.exit(1);
}
