/** PostgreSQL's array literals, such as `{1,NULL,{"a b","c\"d"}}`. */

/** An array whose elements are texts as the server writes them. */
export type TextArray = (string | null | TextArray)[];

const BACKSLASH = '\\';

/** Reads an array literal. `delimiter` separates elements: a comma for all types but `box`. */
class ArrayReader {
  private position = 0;

  constructor(
    private readonly text: string,
    private readonly delimiter: string,
  ) {}

  read(): TextArray | null {
    // Arrays whose indices do not begin at 1 state their bounds first: `[0:2]={…}`.
    if (this.text[0] === '[') this.position = this.text.indexOf('=') + 1;
    if (this.text[this.position] !== '{') return null;
    const elements = this.elements();
    return this.position === this.text.length ? elements : null;
  }

  private elements(): TextArray {
    const elements: TextArray = [];
    this.position++;
    while (this.position < this.text.length) {
      const char = this.text[this.position];
      if (char === '}') {
        this.position++;
        break;
      }
      if (char === this.delimiter) this.position++;
      else if (char === '{') elements.push(this.elements());
      else if (char === '"') elements.push(this.quoted());
      else elements.push(this.plain());
    }
    return elements;
  }

  private quoted(): string {
    let text = '';
    let start = ++this.position;
    for (; this.position < this.text.length && this.text[this.position] !== '"'; this.position++) {
      if (this.text[this.position] !== BACKSLASH) continue;
      text += this.text.slice(start, this.position);
      start = ++this.position;
    }
    return text + this.text.slice(start, this.position++);
  }

  private plain(): string | null {
    const start = this.position;
    while (this.position < this.text.length) {
      const char = this.text[this.position];
      if (char === this.delimiter || char === '}') break;
      this.position++;
    }
    const text = this.text.slice(start, this.position);
    return text === 'NULL' ? null : text;
  }
}

/** Returns the elements of an array literal; null if the text is none. */
export function parseArray(text: string, delimiter = ','): TextArray | null {
  return new ArrayReader(text, delimiter).read();
}

/** Writes an array literal; all texts are quoted, so that `NULL` as a text stays a text. */
export function formatArray(elements: TextArray): string {
  const parts = elements.map((element) => {
    if (element === null) return 'NULL';
    if (typeof element !== 'string') return formatArray(element);
    return `"${element.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${parts.join(',')}}`;
}
