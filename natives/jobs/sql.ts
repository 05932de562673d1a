/** Makes statements for both engines from template literals, whose values become parameters. */
import type { SqlValue, Statement } from '../data/driver.js';
import type { Engine } from '../data/sqltext.js';

/** Part of a statement. */
export class Fragment {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly (SqlValue | Fragment)[],
  ) {}
}

/** Template tag for a statement or a part of one. Values become parameters, fragments are inserted. */
export function sql(texts: TemplateStringsArray, ...values: (SqlValue | Fragment)[]): Fragment {
  return new Fragment(texts, values);
}

/** Makes the statement of a fragment, with the notation of the engine for parameters: `?`, or `$1`. */
export function statementOf(fragment: Fragment, engine: Engine): Statement {
  const params: SqlValue[] = [];
  return { sql: textOf(fragment, engine, params), params };
}

function textOf({ texts, values }: Fragment, engine: Engine, params: SqlValue[]): string {
  let text = texts[0];
  for (const [i, value] of values.entries()) {
    if (value instanceof Fragment) text += textOf(value, engine, params);
    else {
      params.push(value);
      text += engine === 'sqlite' ? '?' : `$${params.length}`;
    }
    text += texts[i + 1];
  }
  return text;
}

/** Makes a set of ids, for use after `IN`. */
export function ids(engine: Engine, all: readonly bigint[]): Fragment {
  return engine === 'sqlite'
    ? sql`(SELECT value FROM json_each(${`[${all.join(',')}]`}))`
    : sql`(SELECT unnest(${[...all]}::int8[]))`;
}

/** Makes a table `wanted` with the column `name`, for use after `FROM`. */
export function names(engine: Engine, all: readonly string[]): Fragment {
  return engine === 'sqlite'
    ? sql`(SELECT value AS name FROM json_each(${JSON.stringify(all)})) AS wanted`
    : sql`(SELECT unnest(${[...all]}::text[]) AS name) AS wanted`;
}
