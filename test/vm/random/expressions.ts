import { type Pair, Writer } from './writer.js';

/** A function that a program defines. */
export interface Def {
  name: string;
  /** Maximum steps of a call. */
  cost: number;
  params: { name: string; kind: 'plain' | 'optional' | 'named' }[];
  hasRest: boolean;
  takesBlock: boolean;
}

export const KEYS = ['k1', 'k2', 'k3'];

/** Writes expressions: Integers mostly, sometimes nil. */
export class Expressions extends Writer {
  protected readonly defs: Def[] = [];
  /** Maximum steps of a call, by the name of the lambda's variable. */
  protected readonly lambdaCosts = new Map<string, number>();
  /** Maximum runs of the current position, and the remaining steps. */
  protected times = 1;
  protected budget = 0;

  protected declareSome(): void {
    this.assign(this.declare('int'), this.literal());
    this.assign(this.declare('int'), this.literal());
    this.assign(this.declare('vector'), this.vectorLiteral());
    if (this.random.chance(50)) this.assign(this.declare('hash'), this.hashLiteral());
  }

  protected showAll(): void {
    for (const type of ['int', 'vector', 'hash'] as const) {
      const list = this.visible(type)
        .slice(0, 5)
        .map((variable) => this.read(variable));
      if (list.length > 0) this.puts('', list);
    }
  }

  protected literal(): Pair {
    const n = this.random.chance(85)
      ? this.random.below(12) - 2
      : this.random.pick([1000, 123_456_789, 2 ** 31, 2 ** 53 - 1]);
    return n < 0 ? [`(${n})`, `(${n}n)`] : [`${n}`, `${n}n`];
  }

  protected vectorLiteral(): Pair {
    const list = Array.from({ length: this.random.below(4) }, () => this.literal());
    return [`[${list.map(([s]) => s).join(', ')}]`, `[${list.map(([, j]) => j).join(', ')}]`];
  }

  protected hashLiteral(): Pair {
    const list = KEYS.filter(() => this.random.chance(50)).map((key) => [key, this.literal()] as const);
    return [
      `{${list.map(([key, [s]]) => `${key}: ${s}`).join(', ')}}`,
      `new Map([${list.map(([key, [, j]]) => `['${key}', ${j}]`).join(', ')}])`,
    ];
  }

  /** An Integer, or nil if a variable has no value yet. */
  protected int(depth = 0): Pair {
    if (depth > 2 || this.random.chance(30)) return this.atom();
    const [a, b] = [this.int(depth + 1), this.int(depth + 1)];
    switch (this.random.below(9)) {
      case 0:
      case 1:
        return [`(${a[0]} + ${b[0]})`, `$.add(${a[1]}, ${b[1]})`];
      case 2:
        return [`(${a[0]} - ${b[0]})`, `$.sub(${a[1]}, ${b[1]})`];
      case 3:
        return [`(${a[0]} * ${b[0]})`, `$.mul(${a[1]}, ${b[1]})`];
      case 4: {
        const op = this.random.pick([
          ['//', 'idiv'],
          ['%', 'mod'],
        ]);
        const divisor = this.random.chance(80) ? this.random.pick([2, 3, 7, -3]) : null;
        const by: Pair = divisor === null ? b : [`(${divisor})`, `${divisor}n`];
        return [`((${a[0]} % 1009) ${op[0]} ${by[0]})`, `$.${op[1]}($.mod(${a[1]}, 1009n), ${by[1]})`];
      }
      case 5: {
        const c = this.condition();
        return [`(${c[0]} ? ${a[0]} : ${b[0]})`, `(${c[1]} ? ${a[1]} : ${b[1]})`];
      }
      case 6:
        return this.random.chance(50) ? [`later(${a[0]})`, `later(${a[1]})`] : (this.functionCall() ?? a);
      case 7:
        return this.choice(a, b);
      default:
        return this.element() ?? a;
    }
  }

  protected choice(a: Pair, b: Pair): Pair {
    const temp = this.name('t');
    return this.random.chance(50)
      ? [`(${a[0]} or ${b[0]})`, `((${temp}) => $.truthy(${temp}) ? ${temp} : ${b[1]})(${a[1]})`]
      : [`(${a[0]} and ${b[0]})`, `((${temp}) => $.truthy(${temp}) ? ${b[1]} : ${temp})(${a[1]})`];
  }

  protected atom(): Pair {
    const variables = this.visible('int');
    return variables.length > 0 && this.random.chance(75) ? this.read(this.random.pick(variables)) : this.literal();
  }

  protected element(): Pair | null {
    const vectors = this.visible('vector');
    const hashes = this.visible('hash');
    if (hashes.length > 0 && this.random.chance(40)) {
      const [svc, js] = this.read(this.random.pick(hashes));
      const key = this.random.pick(KEYS);
      return this.random.chance(15)
        ? [`${svc}.${key}`, `$.getKey(${js}, '${key}')`]
        : [`(${svc}["${key}"] or 1)`, `($.at(${js}, '${key}') ?? 1n)`];
    }
    if (vectors.length === 0) return null;
    const [svc, js] = this.read(this.random.pick(vectors));
    const index = this.atom();
    if (this.random.chance(30)) return [`${svc}.length`, `$.size(${js})`];
    if (this.random.chance(15)) return [`${svc}[${index[0]} % 4]`, `$.at(${js}, $.mod(${index[1]}, 4n))`];
    return [`(${svc}[${index[0]} % 4] or 1)`, `($.at(${js}, $.mod(${index[1]}, 4n)) ?? 1n)`];
  }

  protected condition(): Pair {
    const [a, b] = [this.int(2), this.int(2)];
    switch (this.random.below(6)) {
      case 0:
        return [`(${a[0]} == ${b[0]})`, `$.same(${a[1]}, ${b[1]})`];
      case 1:
        return [`(${a[0]} > ${b[0]})`, `((p, q) => $.less(q, p))(${a[1]}, ${b[1]})`];
      case 2:
        return [`(not ${a[0]} < ${b[0]})`, `!$.less(${a[1]}, ${b[1]})`];
      case 3:
        return [`(${a[0]} < ${b[0]} and ${b[0]} != 3)`, `($.less(${a[1]}, ${b[1]}) && !$.same(${b[1]}, 3n))`];
      case 4:
        return [`(${a[0]} == 1 or ${b[0]} <= 2)`, `($.same(${a[1]}, 1n) || !$.less(2n, ${b[1]}))`];
      default:
        return [`(${a[0]} < ${b[0]})`, `$.less(${a[1]}, ${b[1]})`];
    }
  }

  protected small(pair: Pair): Pair {
    return [`${pair[0]} % 1009`, `$.mod(${pair[1]}, 1009n)`];
  }

  /** Whether `cost` steps are left here. */
  protected affords(cost: number): boolean {
    const total = cost * this.times;
    if (total > this.budget) return false;
    this.budget -= total;
    return true;
  }

  protected functionCall(): Pair | null {
    const lambdas = this.visible('function').filter(({ name }) => this.lambdaCosts.has(name));
    if (lambdas.length > 0 && this.random.chance(50)) {
      const lambda = this.random.pick(lambdas);
      if (!this.affords(this.lambdaCosts.get(lambda.name) as number)) return null;
      const arg = this.int(2);
      const form = this.random.pick(['.(', '(', '.call(']);
      return [
        `${lambda.name}${form}${arg[0]})`,
        `$.${form === '.call(' ? 'callMethod' : 'callValue'}(${this.read(lambda)[1]}, ${arg[1]})`,
      ];
    }
    const plain = this.defs.filter(({ takesBlock }) => !takesBlock);
    if (plain.length === 0) return null;
    const def = this.random.pick(plain);
    return this.affords(def.cost) ? this.defCall(def, null) : null;
  }

  /** A call with positional and named arguments in any valid order. */
  protected defCall(def: Def, block: Pair | null): Pair {
    const svc: string[] = [];
    const js: string[] = [];
    const plain = def.params.filter(({ kind }) => kind !== 'named');
    const byPosition = this.random.chance(70) ? plain.length : this.random.below(plain.length + 1);
    let open = true;
    plain.forEach(({ name, kind }, i) => {
      if (kind === 'optional' && this.random.chance(40)) open = false;
      if (kind === 'optional' && !open) return;
      const value = this.int(2);
      svc.push(i < byPosition && open ? value[0] : `${name}: ${value[0]}`);
      js.push(`${name}: ${value[1]}`);
      if (i >= byPosition) open = false;
    });
    // Named arguments follow positional ones.
    const isNamed = (text: string): boolean => /^p\d+: /.test(text);
    const firstNamed = svc.findIndex(isNamed);
    if (def.hasRest && firstNamed < 0 && js.length === plain.length) {
      const more = Array.from({ length: this.random.below(3) }, () => this.atom());
      svc.push(...more.map(([s]) => s));
      js.push(`rest: [${more.map(([, j]) => j).join(', ')}]`);
    }
    for (const { name } of def.params.filter(({ kind }) => kind === 'named')) {
      if (this.random.chance(50)) continue;
      const value = this.int(2);
      svc.push(`${name}: ${value[0]}`);
      js.push(`${name}: ${value[1]}`);
    }
    const [blockSvc, blockJs] = block ?? ['', 'null'];
    return [`${def.name}(${svc.join(', ')})${blockSvc}`, `${def.name}({${[...js, `block: ${blockJs}`].join(', ')}})`];
  }
}
