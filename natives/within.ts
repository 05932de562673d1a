/**
 * Settles as `promise` does, or after `ms` milliseconds with what `late` returns or throws. `promise` continues then, and
 * its result or error is dropped. The timer keeps the process alive until one of both has happened.
 */
export async function within<T, L>(ms: number, promise: Promise<T>, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([promise, elapsed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
