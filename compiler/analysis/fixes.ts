import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { ModuleScope } from '../symbols.js';
import type { Facts } from './facts.js';
import { removable } from './removable.js';

/** A change that solves a problem. */
export interface Fix {
  title: string;
  edits: { start: number; end: number; text: string }[];
  /** Whether it is what was most likely meant. */
  isPreferred: boolean;
}

const NEAR = /did you mean '([^']+)'\?/;
const NAMES = /'([^']+)'/g;
/** Hints that name a whole replacement for a word. */
const WORD_FOR_WORD = /^write `(nil|true|false|elsif|puts|and|or|not)`$/;

/** Changes that solve a problem in a file. */
export function fixesOf(diagnostic: Diagnostic, facts: Facts, module: ModuleScope): Fix[] {
  const { code } = diagnostic;
  if (code === 'unused-variable') return unused(diagnostic, facts, module);
  const near = meant(diagnostic, module.text);
  return near === null ? wordForWord(diagnostic, module.text) : [near];
}

/** "did you mean 'name'?": the name that the message quotes before it is replaced. */
function meant({ message, hint, start, end }: Diagnostic, text: string): Fix | null {
  const inMessage = NEAR.exec(message);
  const found = inMessage ?? NEAR.exec(hint);
  if (found === null) return null;
  const [, name] = found;
  const before = message.slice(0, inMessage?.index ?? message.length);
  const part = text.slice(start, Math.max(end, start + 1));
  for (const [, wrong] of [...before.matchAll(NAMES)].reverse()) {
    const at = part.search(new RegExp(`(?<![\\w\\u0080-\\uffff])${escaped(wrong)}(?![\\w\\u0080-\\uffff])`));
    if (at < 0 || wrong === name) continue;
    return {
      title: `Replace '${wrong}' by '${name}'`,
      edits: [{ start: start + at, end: start + at + wrong.length, text: name }],
      isPreferred: true,
    };
  }
  return null;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function wordForWord({ hint, start, end }: Diagnostic, text: string): Fix[] {
  const word = WORD_FOR_WORD.exec(hint)?.[1];
  const old = text.slice(start, end);
  if (word === undefined || !/^[\w ]+$/.test(old) || text[end] === '(') return [];
  return [{ title: `Replace '${old}' by '${word}'`, edits: [{ start, end, text: word }], isPreferred: true }];
}

/** A variable that is never read: marked as unused, or removed with its value if that has no effects. */
function unused({ start }: Diagnostic, facts: Facts, module: ModuleScope): Fix[] {
  const occurrence = facts.at(module, start);
  if (occurrence === null || occurrence.target.variable === null) return [];
  const { name } = occurrence.target;
  const places = facts.references(module, occurrence.target);
  const fixes: Fix[] = [
    {
      title: `Rename '${name}' to '_${name}'`,
      edits: places.map(({ start: from, end, short }) => ({
        start: from,
        end: short !== null && module.text[end] === ':' ? end + 1 : end,
        text: short === null ? `_${name}` : `${name}: _${name}`,
      })),
      isPreferred: false,
    },
  ];
  const statement = removable(module, occurrence.start);
  if (places.length === 1 && statement !== null)
    fixes.push({ title: `Remove '${name}'`, edits: [{ ...statement, text: '' }], isPreferred: false });
  return fixes;
}
