/** Schedules that are no patterns of cron, and values that JSON cannot hold: in jobs, responses and `json_encode`. */
import type * as Ast from '../ast.js';
import { article } from '../annotationtypes.js';
import type { Checked } from './environment.js';
import { unionText } from './possibletypes.js';
import type { Types } from './types.js';
import { walkNodes } from './walk.js';

/** Functions whose argument at this place becomes JSON. */
const TO_JSON: Readonly<Record<string, number>> = { json_encode: 0, json_response: 0, json_write: 1 };
const NO_JSON = new Set(['Function', 'Regex', 'Range', 'Bytes', 'Task', 'Channel', 'Shared', 'Database', 'Lazy']);

/** The smallest and the largest number of each field of a pattern with seconds. */
const FIELDS = [
  ['second', 0, 59],
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day', 1, 31],
  ['month', 1, 12],
  ['weekday', 0, 7],
] as const;

export function checkJobs(checked: Checked, types: Types): void {
  walkNodes(checked.module.tree, ['Method', 'Call'], (node) => {
    if (node.type === 'Method') {
      if (types.of(node.recv) !== 'JobQueue') return;
      if (node.name === 'every') schedule(argument(node.args, 1, 'cron'), checked);
      else if (node.name === 'push') json(argument(node.args, 1, 'data'), checked, types);
    } else if (node.callee.type === 'Ident' && Object.hasOwn(TO_JSON, node.callee.name)) {
      const isNative = checked.resolution.symbols.get(node.callee)?.kind === 'native';
      if (isNative) json(argument(node.args, TO_JSON[node.callee.name], 'value'), checked, types);
    }
  });
}

function argument(args: readonly Ast.Arg[], at: number, name: string): Ast.Expr | null {
  const named = args.find((arg): arg is Ast.NamedArg => arg.type === 'NamedArg' && arg.name === name);
  const arg = named?.value ?? args.at(at);
  return arg === undefined || arg.type === 'NamedArg' || arg.type === 'Splat' ? null : arg;
}

function schedule(pattern: Ast.Expr | null, { report }: Checked): void {
  const problem = pattern?.type === 'Str' ? cronProblem(pattern.value) : null;
  if (problem === null || pattern === null) return;
  const hint = 'write minute, hour, day, month and weekday, as in `"30 2 * * *"`';
  report('error', 'wrong-type', pattern, `this is not a pattern of cron: ${problem}`, hint);
}

/** Why a text is certainly no pattern of cron; null if it may be one. */
function cronProblem(text: string): string | null {
  const fields = text.trim().split(/\s+/);
  if (text.trim().startsWith('@')) return null;
  if (fields.length !== 5 && fields.length !== 6)
    return `it has ${fields.length} field${fields.length === 1 ? '' : 's'}`;
  for (const [i, [name, low, high]] of FIELDS.slice(6 - fields.length).entries())
    for (const part of fields[i].split(',')) {
      const ends = /^(\d+)(?:-(\d+))?$/.exec(part)?.slice(1) ?? [];
      const outside = ends.find((end: string | undefined) => end !== undefined && (+end < low || +end > high));
      if (outside !== undefined) return `${outside} is no ${name}, which is ${low} to ${high}`;
    }
  return null;
}

/** Reports the first part of a value that JSON cannot hold. */
function json(value: Ast.Expr | null, checked: Checked, types: Types): void {
  if (value === null) return;
  if (value.type === 'Vector') {
    for (const item of value.items) if (item.type !== 'Splat') json(item, checked, types);
  } else if (value.type === 'Hash') {
    for (const entry of value.entries) if (entry.type !== 'Splat') json(entry.value, checked, types);
  } else {
    const all = types.possible(value);
    if (all === null || ![...all].every((type) => NO_JSON.has(type))) return;
    checked.report('error', 'wrong-type', value, `JSON cannot hold ${article(unionText(all))}`);
  }
}
