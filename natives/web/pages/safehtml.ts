import { Handle, HandleType } from '../../../vm/values/handle.js';
import { toText } from '../../../vm/values/text/text.js';
import type { Value } from '../../../vm/values/value.js';
import { escapeHtml } from './escaping.js';

export const SAFE_HTML = new HandleType('SafeHtml');

/** HTML that is shown as it is: its values have been escaped, or the program vouches for it. */
export class SafeHtml extends Handle {
  constructor(readonly text: string) {
    super();
  }

  get type(): HandleType {
    return SAFE_HTML;
  }

  override describe(): string {
    return this.text;
  }

  /** The JSON form: the text. */
  toJsonValue(): Value {
    return this.text;
  }

  override equals(other: object): boolean {
    return other instanceof SafeHtml && other.text === this.text;
  }

  override equalityKey(): string {
    return this.text;
  }

  /** What is added is escaped unless it is safe itself. */
  override plus(other: Value): Value | null {
    return new SafeHtml(this.text + (other instanceof SafeHtml ? other.text : escapeHtml(toText(other))));
  }

  /** A text before it makes a text: nobody has escaped that. */
  override addedTo(other: Value): Value | null {
    return typeof other === 'string' ? other + this.text : null;
  }
}
