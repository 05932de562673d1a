import { Errors, fail } from '../../../vm/values/error.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { isLarge } from '../../../vm/values/weight.js';
import { escapeHtml } from './escaping.js';

/** Maximum UTF-16 units of all values that one call writes at once: escaping them takes up to 10 ms. */
const MAX_TEXT = 131_072;

/** Texts of the values that one call writes into a page at once, not in steps. */
export class PageTexts {
  private rest = MAX_TEXT;

  constructor(private readonly what: string) {}

  /** The text of a value. @throws ArgumentError if it is, with those before, longer than MAX_TEXT */
  of(value: Value): string {
    const text = typeof value !== 'string' && isLarge(value) ? null : toText(value);
    this.rest -= text === null ? MAX_TEXT + 1 : text.length;
    return this.rest >= 0
      ? (text as string)
      : fail(Errors.ArgumentError, `${this.what}: the values have more than ${MAX_TEXT} characters`);
  }

  /** The text of a value, escaped for pages and attributes. @throws ArgumentError */
  html(value: Value): string {
    return escapeHtml(this.of(value));
  }
}
