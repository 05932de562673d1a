import { native } from '../../../vm/calls/native.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { errorsFor, formField } from './fields.js';
import { paginate } from './paginate.js';

/** Helpers for pages with forms and lists. */
// prettier-ignore
export const formHelpers: NativeFunction[] = [
  native('form_field', 'name: String, value: Any = nil, label: Any = nil, type: String = "text", options: Any = nil, errors: Any = nil, **attributes: Any', 'SafeHtml', 'A field of a form with its label and the messages about it. `type` is one of HTML’s, or textarea, checkbox or select, whose `options` are a Vector of values or of pairs of value and label, or a Hash. Further arguments are attributes; those that are nil or false are left out.', (_vm: NativeContext, name: string, value: Value, label: Value, type: string, choices: Value, errors: Value, attributes: Hash) => formField({ name, value, label, type, choices, errors, attributes })),
  native('errors_for', 'errors: Any, name: String', 'SafeHtml', 'The messages about a field as a list; empty without any. `errors` is a Vector of hashes with `at` and `message`, a Hash from names to messages, or nil.', (_vm: NativeContext, errors: Value, name: string) => errorsFor(errors, name)),
  native('paginate', 'source: Any, query: String? = nil, values: Any = nil, page: Any = 1, per: Integer = 20, order: String? = nil, param: String = "page"', 'Hash', 'A page of the rows of a database, of a statement with its values, or of a table with conditions and `order`; or of a Vector: items, page, pages, total, per, and links to the other pages (SafeHtml). `page` may be a text of the query; other values mean the first page, and those beyond the end the last one.', paginate),
];
