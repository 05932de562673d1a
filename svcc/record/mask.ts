import { REDACTED, type Redaction } from '../../natives/logging/redaction.js';
import { mapQuery } from './bodyfields.js';
import { type Fields, mapped, type Masked } from './recording.js';

/** Replaces the secrets of one exchange, and lists them in `masked`. */
export class Mask {
  readonly masked: Masked[] = [];

  constructor(private readonly redaction: Redaction) {}

  /** Returns the replacement of a field's value, or null. */
  readonly field = (name: string): string | null => (this.redaction.isSecret(name) ? this.note('field', name) : null);

  private note(kind: Masked['kind'], name: string): string {
    if (!this.masked.some((other) => other.kind === kind && other.name === name)) this.masked.push({ kind, name });
    return REDACTED;
  }

  /** Replaces secrets in the query of a target or of an address. */
  target(text: string): string {
    const mark = text.indexOf('?');
    return mark < 0 ? text : `${text.slice(0, mark + 1)}${mapQuery(text.slice(mark + 1), this.field)}`;
  }

  /** Replaces secrets in headers. Names of cookies stay. */
  fields(fields: Fields): string[] {
    return mapped(fields, (name, value) => {
      switch (name.toLowerCase()) {
        case 'cookie':
          return value
            .split(';')
            .map((pair) => this.cookie(pair))
            .join(';');
        case 'set-cookie':
          return this.cookie(value.split(';', 1)[0]) + value.slice(value.split(';', 1)[0].length);
        case 'location':
        case 'referer':
          return this.target(value);
        default:
          return this.redaction.isSecret(name) ? this.note('header', name) : value;
      }
    });
  }

  private cookie(pair: string): string {
    const end = pair.indexOf('=');
    return end < 0 ? pair : `${pair.slice(0, end)}=${this.note('cookie', pair.slice(0, end).trim())}`;
  }
}
