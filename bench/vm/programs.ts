/** The programs, each `programs/NAME` in every language, and what compiled code aims at, if anything: time against plain JavaScript. */
export const PROGRAMS = [
  { name: 'fib', goal: 1.4 },
  { name: 'sieve', goal: 1.8 },
  { name: 'closures', goal: 1.15 },
  { name: 'lambdas', goal: 2 },
  { name: 'handler', goal: 1.1 },
  { name: 'words', goal: 1.1 },
  { name: 'strings', goal: 1.6 },
  { name: 'mandelbrot', goal: 1.35 },
  { name: 'nbody', goal: 3.2 },
  { name: 'smooth', goal: null },
] as const;
