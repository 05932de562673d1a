import type { NativeContext } from '../../../vm/nativecontext.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import type { Value } from '../../../vm/values/value.js';
import type { StreamWriter } from '../streams/writer.js';

/** UTF-16 units of a page that are sent together. */
const CHUNK = 16 * 1024;

const PAGE_STREAM = new HandleType('PageStream');

/** Where templates send the text that they have made. */
export class PageStream extends Handle {
  /** Text of the templates around the one that runs, which is not sent yet. */
  pending = '';

  constructor(readonly writer: StreamWriter) {
    super();
  }

  get type(): HandleType {
    return PAGE_STREAM;
  }

  /** Keeps the text of a template that shows another one; returns the text that it still has. */
  hold(text: string): string {
    this.pending += text;
    return '';
  }

  /** All text that is not sent: what is kept, then `text`. */
  take(text: string): string {
    const all = this.pending + text;
    this.pending = '';
    return all;
  }

  /** Sends the text of a template if there is enough; returns the text that is left. */
  flush(_vm: NativeContext, text: string): Value | undefined {
    return this.pending.length + text.length < CHUNK ? text : this.writer.write(this.take(text), '');
  }
}
