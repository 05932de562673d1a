import { Errors, fail } from '../../../vm/values/error.js';
import { Hash } from '../../../vm/values/hash.js';
import { inspect, toText } from '../../../vm/values/text/text.js';
import { typeName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import { escapeHtml } from '../pages/escaping.js';
import { SafeHtml } from '../pages/safehtml.js';
import { attributesText } from '../pages/values.js';

/** Maximum choices of a field, and characters of its value: a page is made at once. */
const MAX_CHOICES = 10_000;
const MAX_VALUE = 65_536;

/** Types of fields that are an element `input` with a value. */
const INPUTS: ReadonlySet<string> = new Set(
  'text email password search tel url number range date datetime-local month week time color file hidden'.split(' '),
);
/** Types whose value a page never shows. */
const SECRET: ReadonlySet<string> = new Set(['password', 'file']);

function refuse(problem: string): never {
  return fail(Errors.ArgumentError, `form_field(): ${problem}`);
}

function textOf(value: Value): string {
  const text = value === null ? '' : toText(value);
  return text.length > MAX_VALUE ? refuse(`the value is longer than ${MAX_VALUE} characters`) : text;
}

/** Whether a JSON pointer or a name is that of a field: `/title`, `title`; `/tags/0` belongs to `tags`. */
function concerns(at: string, field: string): boolean {
  const name = at.startsWith('/') ? at.slice(1).replaceAll('~1', '/').replaceAll('~0', '~') : at;
  return name === field || name.startsWith(`${field}/`);
}

/**
 * The messages about a field: from a vector of hashes with `at` and `message`, or a hash of a text or a vector of texts
 * for each name. @throws ArgumentError
 */
export function messagesFor(what: string, errors: Value, field: string): string[] {
  if (errors === null) return [];
  if (errors instanceof Hash) {
    const found = errors.get(field) ?? null;
    return found === null ? [] : (Array.isArray(found) ? found : [found]).map(toText);
  }
  if (!Array.isArray(errors))
    return fail(
      Errors.ArgumentError,
      `${what}: errors must be a Vector of hashes with at and message, or a Hash, got ${typeName(errors)}`,
    );
  return errors
    .filter((error) => error instanceof Hash && concerns(toText(error.get('at') ?? ''), field))
    .map((error) => toText((error as Hash).get('message') ?? ''));
}

/** Messages as a list; empty without any. */
export function errorList(messages: readonly string[], id: string | null): SafeHtml {
  if (messages.length === 0) return new SafeHtml('');
  const items = messages.map((message) => `<li>${escapeHtml(message)}</li>`).join('');
  return new SafeHtml(`<ul class="errors"${id === null ? '' : ` id="${escapeHtml(id)}"`}>${items}</ul>`);
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
function choicesOf(given: Value): [string, string][] {
  if (given === null) refuse('type: "select" needs options: a Vector or a Hash');
  const list = given instanceof Hash ? given.entries() : given;
  if (!Array.isArray(list)) return refuse(`options must be a Vector or a Hash, got ${typeName(given)}`);
  if (list.length > MAX_CHOICES) refuse(`a field has at most ${MAX_CHOICES} options, got ${list.length}`);
  return list.map((choice) => {
    const [value, label] = Array.isArray(choice) && choice.length === 2 ? choice : [choice, choice];
    return [textOf(value), textOf(label)];
  });
}

/** A label, the field, and the messages about it. @throws ArgumentError, ValueError */
export function formField(field: Field): SafeHtml {
  const { name, type, label, errors, attributes } = field;
  if (name === '') refuse('the name must not be empty');
  const messages = messagesFor('form_field()', errors, name);
  const id = toText(attributes.get('id') ?? `field-${name.replaceAll(/[^\w-]+/g, '-')}`);
  const own = Hash.from([
    ['id', id],
    ['name', name],
    ['aria-invalid', messages.length === 0 ? null : 'true'],
    ['aria-describedby', messages.length === 0 ? null : `${id}-errors`],
  ]);
  const shown =
    label === null
      ? ''
      : `<label for="${escapeHtml(id)}">${label instanceof SafeHtml ? label.text : escapeHtml(textOf(label))}</label>`;
  const element = elementOf(field, own);
  const parts = type === 'checkbox' ? [element, shown] : [shown, element];
  return new SafeHtml([...parts, errorList(messages, `${id}-errors`).text].filter(Boolean).join('\n'));
}

function elementOf({ type, value, choices, attributes }: Field, own: Hash): string {
  const written = (more: [Value, Value][]): string => {
    for (const [key, text] of [...more, ...attributes.entries()]) own.set(toText(key), text);
    return attributesText('form_field()', own);
  };
  if (type === 'select') return select(choicesOf(choices), value, written([]));
  if (choices !== null) refuse(`options are for type: "select", not for ${inspect(type)}`);
  if (type === 'textarea')
    // A first line break is dropped by browsers.
    return `<textarea ${written([])}>\n${escapeHtml(textOf(value))}</textarea>`;
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
    ['value', SECRET.has(type) || value === null ? null : textOf(value)],
  ])}>`;
}

function select(choices: readonly [string, string][], value: Value, attributes: string): string {
  const chosen = new Set((Array.isArray(value) ? value : value === null ? [] : [value]).map(textOf));
  const options = choices.map(
    ([text, label]) =>
      `<option value="${escapeHtml(text)}"${chosen.has(text) ? ' selected' : ''}>${escapeHtml(label)}</option>`,
  );
  return `<select ${attributes}>${options.join('')}</select>`;
}
