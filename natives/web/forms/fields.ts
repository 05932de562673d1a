import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { DateValue } from '../../core/dates/date.js';
import { formatDate } from '../../core/dates/format.js';
import { nestedKeys } from '../request/nested.js';
import { escapeHtml } from '../pages/escaping.js';
import { PageTexts } from '../pages/pagetexts.js';
import { SafeHtml } from '../pages/safehtml.js';
import { attributesText, checkAttributes } from '../pages/values.js';

/** Maximum choices of a field, and errors of a form: a field is made at once. */
const MAX_CHOICES = 10_000;
const MAX_ERRORS = 10_000;
/** Maximum characters of a field's name. */
const MAX_NAME = 1000;

/** Types of fields that are an element `input` with a value. */
const INPUTS: ReadonlySet<string> = new Set(
  'text email password search tel url number range date datetime-local month week time color file hidden'.split(' '),
);
/** Types whose value a page never shows. */
const SECRET: ReadonlySet<string> = new Set(['password', 'file']);

/** Directives for dates in fields of a type. */
const DATES: Partial<Record<string, string>> = {
  date: '%Y-%m-%d',
  'datetime-local': '%Y-%m-%dT%H:%M',
  month: '%Y-%m',
  week: '%G-W%V',
  time: '%H:%M',
};

function refuse(problem: string): never {
  return fail(Errors.ArgumentError, `form_field(): ${problem}`);
}

/** Whether a JSON pointer leads to keys, or to what they hold. An empty key is any element of a vector. */
function leadsTo(pointer: string, keys: readonly string[]): boolean {
  const parts = pointer.split('/').slice(1);
  return keys.every((key, i) => {
    const part = (parts[i] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
    return key === '' ? /^\d+$/.test(part) || i === keys.length - 1 : part === key;
  });
}

/**
 * Tells JSON pointers and names that are those of a field: `/title`, `title`; `/tags/0` belongs to `tags`, and to
 * `tags[]`.
 */
function concerns(field: string): (at: Value) => boolean {
  const names = [field, `/${field}`, `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`];
  const keys = nestedKeys(field);
  return (at) =>
    typeof at === 'string' &&
    (names.some((name) => at === name || at.startsWith(`${name}/`)) || (keys !== null && leadsTo(at, keys)));
}

/** The values in `errors` that are messages about a field. @throws ArgumentError */
function messagesFor(what: string, errors: Value, field: string): Value[] {
  const wrong = (problem: string): never => fail(Errors.ArgumentError, `${what}: ${problem}`);
  if (field.length > MAX_NAME) wrong(`a name has at most ${MAX_NAME} characters`);
  if (errors === null) return [];
  const list = errors instanceof Hash ? errors.get(field) : errors;
  if (!Array.isArray(list)) {
    if (errors instanceof Hash) return list === undefined || list === null ? [] : [list];
    return wrong(`errors must be a Vector of hashes with at and message, or a Hash, got ${typeName(errors)}`);
  }
  if (list.length > MAX_ERRORS) wrong(`there are at most ${MAX_ERRORS} errors, got ${list.length}`);
  if (errors instanceof Hash) return list;
  const concerning = concerns(field);
  return list.flatMap((error) =>
    error instanceof Hash && concerning(error.get('at') ?? null) ? [error.get('message') ?? ''] : [],
  );
}

/** Messages as a list; empty without any. */
function errorList(messages: readonly Value[], texts: PageTexts, id: string | null): SafeHtml {
  if (messages.length === 0) return new SafeHtml('');
  const items = messages.map((message) => `<li>${texts.html(message)}</li>`).join('');
  return new SafeHtml(`<ul class="errors"${id === null ? '' : ` id="${escapeHtml(id)}"`}>${items}</ul>`);
}

/**
 * The messages about a field as a list: from a vector of hashes with `at` and `message`, or a hash of a text or a vector
 * of texts for each name. @throws ArgumentError
 */
export function errorsFor(errors: Value, name: string): SafeHtml {
  return errorList(messagesFor('errors_for()', errors, name), new PageTexts('errors_for()'), null);
}

/** What a program says of a field. */
export interface Field {
  readonly name: string;
  readonly value: Value;
  readonly label: Value;
  readonly type: string;
  readonly choices: Value;
  readonly errors: Value;
  /** Further attributes, which replace those of the library. */
  readonly attributes: Hash;
}

/** Values and labels of choices: a vector of values or of pairs, or a hash from values to labels. */
function choicesOf(given: Value, texts: PageTexts): [string, string][] {
  if (given === null) refuse('type: "select" needs options: a Vector or a Hash');
  if (!Array.isArray(given) && !(given instanceof Hash))
    return refuse(`options must be a Vector or a Hash, got ${typeName(given)}`);
  const count = given instanceof Hash ? given.size : given.length;
  if (count > MAX_CHOICES) refuse(`a field has at most ${MAX_CHOICES} options, got ${count}`);
  return (given instanceof Hash ? given.entries() : given).map((choice) => {
    const [value, label] = Array.isArray(choice) && choice.length === 2 ? choice : [choice, choice];
    return [texts.of(value), texts.of(label)];
  });
}

/** A label, the field, and the messages about it. @throws ArgumentError, ValueError */
export function formField(field: Field): SafeHtml {
  const { name, type, label, errors, attributes } = field;
  if (name === '') refuse('the name must not be empty');
  const texts = new PageTexts('form_field()');
  const messages = messagesFor('form_field()', errors, name);
  const id = texts.of(attributes.get('id') ?? `field-${name.replaceAll(/[^\w-]+/g, '-')}`);
  const own = Hash.from([
    ['id', id],
    ['name', name],
    ['aria-invalid', messages.length === 0 ? null : 'true'],
    ['aria-describedby', messages.length === 0 ? null : `${id}-errors`],
  ]);
  const shown =
    label === null
      ? ''
      : `<label for="${escapeHtml(id)}">${label instanceof SafeHtml ? label.text : texts.html(label)}</label>`;
  const element = elementOf(field, own, texts);
  const parts = type === 'checkbox' ? [element, shown] : [shown, element];
  return new SafeHtml([...parts, errorList(messages, texts, `${id}-errors`).text].filter(Boolean).join('\n'));
}

function elementOf({ type, value, choices, attributes }: Field, own: Hash, texts: PageTexts): string {
  checkAttributes('form_field()', attributes);
  const written = (more: [Value, Value][]): string => {
    for (const [key, text] of [...more, ...attributes.entries()]) own.set(texts.of(key), text);
    return attributesText('form_field()', own, texts);
  };
  if (type === 'select') return select(choicesOf(choices, texts), value, written([]), texts);
  if (choices !== null) refuse(`options are for type: "select", not for ${inspect(type)}`);
  if (type === 'textarea')
    // A first line break is dropped by browsers.
    return `<textarea ${written([])}>\n${texts.html(value ?? '')}</textarea>`;
  if (type === 'checkbox')
    return `<input ${written([
      ['type', type],
      ['value', 'true'],
      ['checked', value !== null && value !== false],
    ])}>`;
  if (!INPUTS.has(type))
    return refuse(`unknown type ${inspect(type)}; known are ${[...INPUTS].join(', ')}, textarea, checkbox, select`);
  return `<input ${written([
    ['type', type],
    ['value', SECRET.has(type) || value === null ? null : shownAs(type, value, texts)],
  ])}>`;
}

/** The value of a field. Browsers show dates only in the form of the field's type (HTML, 4.10.5.1). */
function shownAs(type: string, value: Value, texts: PageTexts): string {
  const pattern = value instanceof DateValue ? DATES[type] : undefined;
  return pattern === undefined ? texts.of(value) : formatDate(value as DateValue, pattern);
}

function select(choices: readonly [string, string][], value: Value, attributes: string, texts: PageTexts): string {
  const selected = Array.isArray(value) ? value : value === null ? [] : [value];
  if (selected.length > MAX_CHOICES) refuse(`at most ${MAX_CHOICES} options are selected, got ${selected.length}`);
  const chosen = new Set(selected.map((one) => texts.of(one)));
  const options = choices.map(
    ([text, label]) =>
      `<option value="${escapeHtml(text)}"${chosen.has(text) ? ' selected' : ''}>${escapeHtml(label)}</option>`,
  );
  return `<select ${attributes}>${options.join('')}</select>`;
}
