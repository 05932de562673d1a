let condition: () => boolean = () => false;

/** Sets when the process must go on: while others are served. */
export function goOnWhile(when: () => boolean): void {
  condition = when;
}

/** Whether neither an internal error nor lost output may end the process. */
export function mustGoOn(): boolean {
  return condition();
}

/** A mistake of ours: no user can do anything with its JavaScript stack, unless asked to send it. */
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
