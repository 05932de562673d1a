/** Runs a test's body in another time zone. */
export function inZone(zone: string, run: () => void): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    run();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}
