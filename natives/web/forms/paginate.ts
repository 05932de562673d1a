import type { Requests } from '../../../vm/calls/caller.js';
import { native, nativeLike } from '../../../vm/calls/native.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import { Handle } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { NameList } from '../../../vm/values/function.js';
import type { Int } from '../../core/declare.js';
import { shownInteger } from '../../core/numbers/digits.js';
import { escapeHtml } from '../pages/escaping.js';
import { SafeHtml } from '../pages/safehtml.js';
import { requestOf } from '../request/current.js';

/** Maximum items of a page. */
const MAX_PER = 1000;
/** Pages beside the shown one that have a link; the first and the last one have one too. */
const BESIDE = 2;

const ASK = native('query', '', 'Any', 'Asks a database.', () => null);

/** Where the items come from: their number, and those of a page. */
interface Source {
  count(): Request | number;
  items(limit: number, offset: number): Request | Value[];
}

/** A call of a method of the database. */
type Request = NativeFunction;

function call(db: Value, name: string, args: Value[], named: Record<string, Value> = {}): Request {
  const names = Object.keys(named);
  return nativeLike(ASK, (vm: NativeContext) =>
    vm.callMethod(db, name, [...args, ...Object.values(named)], names.length === 0 ? null : new NameList(names, null)),
  );
}

function sqlSource(db: Value, sql: string, values: Value): Source {
  const args = values === null ? [] : Array.isArray(values) ? values : [values];
  // A comment may end the statement.
  const statement = sql.trim().replace(/;$/, '');
  return {
    count: () => call(db, 'value', [`SELECT count(*) FROM (${statement}\n) AS counted`, ...args]),
    items: (limit, offset) => call(db, 'query', [`${statement}\nLIMIT ${limit} OFFSET ${offset}`, ...args]),
  };
}

function tableSource(db: Value, table: string, where: Value, order: string | null): Source {
  const conditions = where ?? new Hash();
  return {
    count: () => call(db, 'count', [table, conditions]),
    items: (limit, offset) =>
      call(db, 'find', [table, conditions], { limit, offset, ...(order === null ? {} : { order }) }),
  };
}

function sourceOf(given: Value, query: string | null, values: Value, order: string | null): Source {
  if (Array.isArray(given)) {
    if (query !== null) fail(Errors.ArgumentError, 'paginate(): a Vector takes no query');
    return { count: () => given.length, items: (limit, offset) => given.slice(offset, offset + limit) };
  }
  if (!(given instanceof Handle) || given.type.name !== 'Database')
    return fail(
      Errors.TypeError,
      `paginate(): the first argument must be a Database or a Vector, got ${typeName(given)}`,
    );
  if (query === null)
    return fail(
      Errors.ArgumentError,
      'paginate() needs a query: paginate(db, "SELECT …", page: 1) or paginate(db, "table", page: 1)',
    );
  if (!/\s/.test(query)) return tableSource(given, query, values, order);
  if (order !== null) fail(Errors.ArgumentError, 'paginate(): write the order into the statement');
  return sqlSource(given, query, values);
}

/** A page as a program or the query of a request says it, with up to 1,000 digits: 1 for anything that is no number of a page. */
function numberOf(page: Value): number {
  if (typeof page === 'bigint') return page > 0n ? Infinity : 1;
  const text = typeof page === 'string' ? page : typeof page === 'number' ? String(page) : '';
  return /^[1-9]\d{0,999}$/.test(text) ? Number(text) : 1;
}

/** Native `paginate`. @throws ArgumentError, TypeError, DatabaseError */
export function paginate(
  vm: NativeContext,
  given: Value,
  query: string | null,
  values: Value,
  page: Value,
  per: Int,
  order: string | null,
  param: string,
): undefined {
  if (per < 1 || per > MAX_PER)
    fail(Errors.ArgumentError, `paginate(): per must be 1 to ${MAX_PER}, got ${shownInteger(per)}`);
  return vm.answering(pageSteps(vm, sourceOf(given, query, values, order), numberOf(page), Number(per), param));
}

function* pageSteps(vm: NativeContext, source: Source, wanted: number, per: number, param: string): Requests {
  const counted = source.count();
  const total = typeof counted === 'number' ? counted : Number(yield { fn: counted, args: [] });
  const pages = Math.max(1, Math.ceil(total / per));
  const page = Math.min(wanted, pages);
  const items = source.items(per, (page - 1) * per);
  return Hash.from([
    ['items', Array.isArray(items) ? items : yield { fn: items, args: [] }],
    ['page', page],
    ['pages', pages],
    ['total', total],
    ['per', per],
    ['links', new SafeHtml(linksTo(vm, page, pages, param))],
  ]);
}

/** Numbers of the pages that have a link, in order; null for a gap. */
function shownPages(page: number, pages: number): (number | null)[] {
  const shown: (number | null)[] = [];
  let last = 0;
  for (const n of new Set([1, ...Array.from({ length: 2 * BESIDE + 1 }, (_, i) => page - BESIDE + i), pages])) {
    if (n < 1 || n > pages) continue;
    if (n > last + 1) shown.push(n === last + 2 ? last + 1 : null);
    shown.push(n);
    last = n;
  }
  return shown;
}

/** Links to the pages of the request; empty for a single page, and outside of requests. */
function linksTo(vm: NativeContext, page: number, pages: number, param: string): string {
  const request = requestOf(vm);
  if (request === null || pages === 1) return '';
  const others = request.queryPairs().filter(([name]) => name !== param);
  const href = (n: number): string => escapeHtml(`?${new URLSearchParams([...others, [param, String(n)]])}`);
  const step = (n: number, rel: string, text: string): string =>
    n < 1 || n > pages ? '' : `<a href="${href(n)}" rel="${rel}">${text}</a>`;
  const numbers = shownPages(page, pages).map((n) =>
    n === null
      ? '<span>…</span>'
      : n === page
        ? `<span aria-current="page">${n}</span>`
        : `<a href="${href(n)}">${n}</a>`,
  );
  const links = [step(page - 1, 'prev', '‹'), ...numbers, step(page + 1, 'next', '›')].filter(Boolean);
  return `<nav class="pagination" aria-label="Pages">${links.join(' ')}</nav>`;
}
