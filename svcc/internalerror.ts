let survives: () => boolean = () => false;

/** Says when an internal error must not end the process: while others are served. */
export function surviveInternalErrors(when: () => boolean): void {
  survives = when;
}

/** A mistake of ours: no user can do anything with its JavaScript stack, unless asked to send it. */
export function internalError(error: unknown): void {
  const text = process.env.SVC_DEBUG !== undefined && error instanceof Error ? error.stack : String((error as Error | null)?.message ?? error);
  process.stderr.write(`svcc: internal error: ${text}\nThis is a bug in svcc; please report it (SVC_DEBUG=1 shows more).\n`);
  if (!survives()) process.exit(1);
}
