import { Errors, fail } from '../../../vm/values/error.js';

/** Maximum characters of an event. */
const MAX_EVENT = 16 << 20;

const LINE_END = /\r\n|[\r\n]/g;

/** An event as programs see it. */
export interface Event {
  event: string;
  data: string;
  id: string | null;
}

/** Takes events out of a text that arrives in parts (WHATWG HTML, "Interpreting an event stream"). */
export class EventParser {
  /** Parts of the line that has begun, and their characters. They are read once, when the line ends. */
  private parts: string[] = [];
  private partsLength = 0;
  /** Whether the last part ended in CR: an LF at the start of the next one belongs to it. */
  private isAfterCr = false;
  private type = '';
  private data: string[] = [];
  /** Characters of `data`, with the ends of its lines. */
  private dataLength = 0;
  private lastId: string | null = null;

  /** The events that end in this part. @throws MemoryError for an endless one */
  feed(text: string): Event[] {
    const events: Event[] = [];
    let start = this.isAfterCr && text.startsWith('\n') ? 1 : 0;
    LINE_END.lastIndex = start;
    for (let match = LINE_END.exec(text); match !== null; match = LINE_END.exec(text)) {
      this.add(text.slice(start, match.index));
      start = LINE_END.lastIndex;
      this.line(this.parts.length === 1 ? this.parts[0] : this.parts.join(''), events);
      this.parts = [];
      this.partsLength = 0;
    }
    if (start < text.length) this.add(text.slice(start));
    if (text !== '') this.isAfterCr = text.endsWith('\r');
    return events;
  }

  private add(part: string): void {
    this.parts.push(part);
    this.partsLength += part.length;
    if (this.dataLength + this.partsLength > MAX_EVENT)
      fail(Errors.MemoryError, `an event is longer than ${MAX_EVENT} characters`);
  }

  private line(line: string, events: Event[]): void {
    if (line === '') {
      if (this.data.length > 0)
        events.push({ event: this.type === '' ? 'message' : this.type, data: this.data.join('\n'), id: this.lastId });
      this.type = '';
      this.data = [];
      this.dataLength = 0;
      return;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.data.push(value);
      this.dataLength += value.length + 1;
    } else if (name === 'id') {
      if (!value.includes('\0')) this.lastId = value;
    } else if (name === 'event') this.type = value;
  }
}
