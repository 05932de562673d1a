/** Reads JSON with a parser of its own, changes it, and writes it again. */
const BLANKS = [' ', '\n', '\t', '\r'];
const ESCAPES = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', '/': '/' };

class JsonError extends Error {}

class Parser {
  pos = 0;

  constructor(text) {
    this.text = text;
  }

  parse() {
    const value = this.parseValue();
    this.skipBlanks();
    if (this.pos < this.text.length) this.fail(`unexpected ${this.text[this.pos]}`);
    return value;
  }

  fail(message) {
    throw new JsonError(`${message} at ${this.pos}`);
  }

  skipBlanks() {
    while (BLANKS.includes(this.text[this.pos])) this.pos++;
  }

  parseValue() {
    this.skipBlanks();
    switch (this.text[this.pos]) {
      case '{':
        return this.parseObject();
      case '[':
        return this.parseArray();
      case '"':
        return this.parseString();
      case 't':
        return this.parseWord('true', true);
      case 'f':
        return this.parseWord('false', false);
      case 'n':
        return this.parseWord('null', null);
      case undefined:
        return this.fail('unexpected end');
      default:
        return this.parseNumber();
    }
  }

  parseWord(word, value) {
    if (!this.text.startsWith(word, this.pos)) this.fail(`unexpected ${this.text[this.pos]}`);
    this.pos += word.length;
    return value;
  }

  expect(char) {
    this.skipBlanks();
    if (this.text[this.pos] !== char) this.fail(`expected ${char}`);
    this.pos++;
  }

  parseObject() {
    const found = {};
    this.pos++;
    this.skipBlanks();
    if (this.text[this.pos] === '}') {
      this.pos++;
      return found;
    }
    for (;;) {
      this.skipBlanks();
      const key = this.parseString();
      this.expect(':');
      found[key] = this.parseValue();
      if (this.closes('}')) return found;
    }
  }

  parseArray() {
    const found = [];
    this.pos++;
    this.skipBlanks();
    if (this.text[this.pos] === ']') {
      this.pos++;
      return found;
    }
    for (;;) {
      found.push(this.parseValue());
      if (this.closes(']')) return found;
    }
  }

  closes(bracket) {
    this.skipBlanks();
    const char = this.text[this.pos];
    if (char !== ',' && char !== bracket) this.fail(`expected , or ${bracket}`);
    this.pos++;
    return char === bracket;
  }

  parseString() {
    this.expect('"');
    let found = '';
    for (;;) {
      const char = this.text[this.pos];
      if (char === undefined) this.fail('unterminated text');
      this.pos++;
      if (char === '"') return found;
      if (char === '\\') {
        found += ESCAPES[this.text[this.pos]] ?? this.fail('unknown escape');
        this.pos++;
      } else {
        found += char;
      }
    }
  }

  parseNumber() {
    const start = this.pos;
    while (this.pos < this.text.length && '+-.eE0123456789'.includes(this.text[this.pos])) this.pos++;
    const digits = this.text.slice(start, this.pos);
    if (digits === '') this.fail(`unexpected ${this.text[this.pos]}`);
    return Number(digits);
  }
}

function write(value) {
  if (value === null) return 'null';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, item]) => `${quote(key)}:${write(item)}`);
    return `{${entries.join(',')}}`;
  }
  return String(value);
}

function quote(text) {
  return `"${text.replace(/["\\\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))}"`;
}

/** Renames keys, leaves out nulls, and makes numbers of cents from prices. */
function transform(value) {
  if (Array.isArray(value)) return value.map(transform);
  if (value === null || typeof value !== 'object') return value;
  const changed = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue;
    if (key === 'price' && typeof item === 'number') changed.cents = Math.round(item * 100);
    else if (/^is_/.test(key)) changed[key.slice('is_'.length)] = item;
    else changed[key.toUpperCase()] = transform(item);
  }
  return changed;
}

function document(count) {
  const items = [];
  for (let i = 0; i < count; i++) {
    items.push(
      `  {"id": ${i}, "name": "Item \\"${i % 17}\\"", "price": ${i % 90}.${(i % 4) * 25}, "is_new": ${i % 3 === 0}, ` +
        `"tags": ["t${i % 5}", "u\\n${i % 7}", []], "seller": {"name": "S${i % 11}", "rating": ${i % 50}, "note": null}}`,
    );
  }
  return `{\n "count": ${count},\n "items": [\n${items.join(',\n')}\n ]\n}\n`;
}

const count = Number(process.argv[2]);
const source = document(count);
const data = new Parser(source).parse();
const text = write(transform(data));
const again = write(new Parser(text).parse());
console.log(`${source.length} characters, written ${text.length}, ${again === text ? 'the same again' : 'different'}`);
const sum = data.items.reduce((all, { price }) => all + price, 0);
console.log(Number.isInteger(sum) ? sum.toFixed(1) : Number(sum.toFixed(2)));
console.log(text.slice(0, 240));
for (const broken of ['[1, 2', '{"a" 1}', '[tru]', '"abc', '[1] 2']) {
  try {
    new Parser(broken).parse();
  } catch (error) {
    console.log(`${broken}: ${error.message}`);
  }
}
