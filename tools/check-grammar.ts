import { pathToFileURL } from 'node:url';
import { compiledRules } from './generate-grammar.js';
import { LalrAutomaton } from './lalr.js';

/**
 * Conflicts of the LALR(1) automaton of the grammar; empty for a valid grammar. An LALR(1) grammar is unambiguous, so
 * this proves that every program has one reading.
 */
export function lalrConflicts(): string[] {
  const { rules, start } = compiledRules();
  return new LalrAutomaton(rules, start).conflicts();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const conflicts = lalrConflicts();
  for (const conflict of conflicts) console.error(conflict);
  console.log(`${conflicts.length} LALR(1) conflicts`);
  if (conflicts.length > 0) process.exitCode = 1;
}
