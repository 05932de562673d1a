/** Splits the source text of a small language into tokens with one regex, line by line, and sums up what it finds. */
const TOKEN =
  /(?<space>\s+)|(?<comment>#.*)|(?<number>\d+(?:\.\d+)?)|(?<text>"(?:[^"\\]|\\.)*")|(?<word>[A-Za-z_]\w*)|(?<operator>==|!=|<=|>=|->|&&|\|\||[-+*/%<>=!.,:;])|(?<bracket>[()[\]{}])|(?<wrong>.)/g;
const KINDS = ['space', 'comment', 'number', 'text', 'word', 'operator', 'bracket', 'wrong'];
const KEYWORDS = new Set(['def', 'end', 'if', 'else', 'while', 'return', 'let', 'true', 'false']);
const CLOSERS = { ')': '(', ']': '[', '}': '{' };

class Random {
  constructor(seed) {
    this.seed = seed;
  }

  below(n) {
    this.seed = (this.seed * 16_807) % 2_147_483_647;
    return this.seed % n;
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

class Report {
  counts = new Map();
  names = new Map();
  deepest = 0;
  problems = [];
  sum = 0;

  add(token, open) {
    this.counts.set(token.kind, (this.counts.get(token.kind) ?? 0) + 1);
    if (token.kind === 'name') this.names.set(token.text, (this.names.get(token.text) ?? 0) + 1);
    else if (token.kind === 'number') this.sum += Number(token.text);
    else if (token.kind === 'bracket') this.bracket(token, open);
    else if (token.kind === 'wrong') this.problems.push(`${token.line}:${token.column}: unexpected ${token.text}`);
  }

  bracket(token, open) {
    const expected = CLOSERS[token.text];
    if (expected === undefined) {
      open.push(token);
      this.deepest = Math.max(this.deepest, open.length);
    } else if (open.length === 0 || open.at(-1).text !== expected) {
      this.problems.push(`${token.line}:${token.column}: unmatched ${token.text}`);
    } else {
      open.pop();
    }
  }
}

function expression(random, depth) {
  switch (random.below(depth > 0 ? 8 : 4)) {
    case 0:
      return String(random.below(1000));
    case 1:
      return `${random.below(100)}.${random.below(10)}`;
    case 2:
    case 3:
      return random.pick(['total', 'price', 'count', 'index', '_rest']);
    case 4:
      return `"text \\"${random.below(50)}\\""`;
    case 5:
      return `(${expression(random, depth - 1)} ${random.pick(['+', '*', '<=', '&&'])} ${expression(random, depth - 1)})`;
    case 6:
      return `f${random.below(9)}(${expression(random, depth - 1)}, ${expression(random, depth - 1)})`;
    default:
      return `items[${expression(random, depth - 1)}]`;
  }
}

function statement(random) {
  switch (random.below(10)) {
    case 0:
      return `# remark number ${random.below(100)}`;
    case 1:
      return `while ${expression(random, 1)} { count = count - 1 }`;
    case 2:
      return `if ${expression(random, 2)} { return ${expression(random, 1)} } else { return false }`;
    case 3:
      return random.below(10) === 0 ? 'let strange = 5 $ 3)' : `def f${random.below(9)}(x, y) -> x`;
    default:
      return `let ${random.pick(['total', 'price', 'size'])} = ${expression(random, 3)};`;
  }
}

function kindOf(match) {
  return KINDS.find((kind) => match.groups[kind] !== undefined);
}

function tokens(line, number) {
  let column = 1;
  const found = [];
  for (const match of line.matchAll(TOKEN)) {
    const text = match[0];
    let kind = kindOf(match);
    if (kind === 'word') kind = KEYWORDS.has(text) ? 'keyword' : 'name';
    if (kind !== 'space' && kind !== 'comment') found.push({ kind, text, line: number, column });
    column += text.length;
  }
  return found;
}

const random = new Random(7);
const statements = [];
for (let i = 0; i < Number(process.argv[2]); i++) statements.push(statement(random));
const source = statements.join('\n');
const report = new Report();
const open = [];
for (const [i, line] of source.split('\n').entries()) {
  for (const token of tokens(line, i + 1)) report.add(token, open);
}

const all = [...report.counts.values()].reduce((sum, count) => sum + count, 0);
console.log(`${source.length} characters, ${all} tokens, depth ${report.deepest}, sum ${report.sum.toFixed(1)}`);
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
for (const [kind, count] of [...report.counts].sort(([a], [b]) => byText(a, b))) {
  console.log(`${kind.padEnd(10)}${count}`);
}
for (const [name, count] of [...report.names].sort(([a, m], [b, n]) => n - m || byText(a, b)).slice(0, 5)) {
  console.log(`${name.padEnd(10)}${count}`);
}
console.log(`${report.problems.length} problems`);
console.log(report.problems.slice(0, 3).join('\n'));
