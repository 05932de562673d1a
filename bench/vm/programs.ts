/** The programs, each `programs/NAME.svc`, `.mjs` and `.py`, and what the interpreter aims at: time against plain JavaScript. */
export const PROGRAMS = [
  { name: 'fib', goal: 14 },
  { name: 'sieve', goal: 24 },
  { name: 'closures', goal: 12 },
  { name: 'lambdas', goal: 12 },
  { name: 'handler', goal: 2.2 },
  { name: 'words', goal: 1.3 },
  { name: 'strings', goal: 2.5 },
  { name: 'mandelbrot', goal: 100 },
  { name: 'nbody', goal: 140 },
] as const;
