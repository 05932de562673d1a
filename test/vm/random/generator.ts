import { Random } from '../support/random.js';
import { type Def, Expressions, KEYS } from './expressions.js';
import type { Size } from './size.js';
import type { Pair, Scope, Type, Variable } from './writer.js';

/** Targets of jumps. */
interface Context {
  /**
   * `loop`: a JavaScript loop with a label; `block`: an inlined block, left by a throw; `call`: a block that is a
   * function, where `break` ends the call that it was given to.
   */
  around: { kind: 'loop' | 'block' | 'call'; id: string; label: string | null } | null;
  /** Outer loops of the same function that have labels. */
  labels: { id: string; label: string }[];
  /** Target of `return`; null at the top level, where it is not used. `direct`: no callback in between. */
  returns: { id: string; direct: boolean } | null;
  /** `next` ends the function: in lambdas and blocks that are functions. */
  nextReturns: boolean;
  /** Whether the code is in an `ensure`, where jumps are rare because they would hide errors. */
  inEnsure: boolean;
}

const ITERATORS = ['each', 'map', 'select', 'find', 'any?', 'sum', 'reduce', 'each_with_index', 'times', 'upto'];

/**
 * Features that can be omitted to find other faults: SVC_RANDOM_WITHOUT=unset,after,args.
 * `unset`: reading a variable in its first assignment; `after`: the variable of a `for` after its loop; `args`: variables
 * as arguments of iterators whose blocks may assign them.
 */
const WITHOUT = new Set((process.env.SVC_RANDOM_WITHOUT ?? '').split(','));

export interface RandomProgram {
  svc: string;
  /** Body of a function of `$` (the runtime), `puts` and `later`. */
  js: string;
}

/** A program that always ends, prints its steps, and raises some errors. */
export function randomProgram(seed: number, size: Size): RandomProgram {
  return new Generator(new Random(seed), size).program();
}

class Generator extends Expressions {
  private context: Context = { around: null, labels: [], returns: null, nextReturns: false, inEnsure: false };
  private depth = 0;

  constructor(
    random: Random,
    private readonly size: Size,
  ) {
    super(random);
  }

  program(): RandomProgram {
    this.line('error Oops', '');
    this.line('shared_list = [1, 2, 3]', 'const shared_list = [1n, 2n, 3n];');
    for (let n = this.random.below(this.size.defs + 1); n > 0; n--) this.def();
    this.budget = this.size.budget;
    const declared = this.inScope(null, () => {
      this.declareSome();
      this.statements(this.size.statements + this.random.below(this.size.statements));
      this.showAll();
    });
    return { svc: `${this.svc.join('\n')}\n`, js: `${declared}\n${this.js.join('\n')}` };
  }
  // ---- statements

  private statements(count: number): void {
    for (let n = 0; n < count && this.budget > 0; n++) this.statement();
    if (this.budget <= 0) this.puts('spent', []);
  }

  /** A body of a few statements. */
  private body(count = 1 + this.random.below(4)): void {
    const { variables } = this.scope;
    const before = variables.length;
    this.depth++;
    this.statements(count);
    this.depth--;
    // Variables that are first assigned here may be nil afterwards: few programs should use them.
    if (this.depth > 0 && variables.length > before && this.random.chance(85))
      for (const variable of variables.slice(before)) this.hidden.add(variable);
  }

  private statement(): void {
    this.budget -= this.times;
    const deep = this.depth >= this.size.depth;
    // At the top level an error ends the program, so most statements there are guarded.
    const kind = this.depth === 0 && this.random.chance(70) ? 80 : this.random.below(deep ? 36 : 100);
    if (kind < 8)
      this.puts(this.name('#'), [
        this.atom(),
        this.random.pick([...this.visible('vector').map((v) => this.read(v)), this.atom()]),
      ]);
    else if (kind < 15) this.assignment();
    else if (kind < 20) this.change();
    else if (kind < 25) this.jump();
    else if (kind < 28) this.raise();
    else if (kind < 32) this.destructure();
    else if (kind < 36) this.ensureCall();
    else if (kind < 46) this.conditional();
    else if (kind < 54) this.whileLoop();
    else if (kind < 62) this.forLoop();
    else if (kind < 75) this.iterator();
    else if (kind < 88) this.guarded();
    else if (kind < 92) this.lambda();
    else if (kind < 95) this.blockCall();
    else if (kind < 97) this.spawn();
    else if (this.random.chance(50)) this.caseIn();
    else this.caseWhen();
  }

  private target(): Variable {
    const variables = this.visible('int');
    return variables.length > 0 && this.random.chance(75) ? this.random.pick(variables) : this.declare('int');
  }

  /** A variable with a value, or a new one, which may be assigned here. */
  private known(): Variable {
    if (!WITHOUT.has('unset') && this.random.chance(25)) return this.target();
    const variables = this.visible('int');
    if (variables.length > 0) return this.random.pick(variables);
    const variable = this.declare('int');
    this.assign(variable, this.literal());
    return variable;
  }

  /** If variables stayed nil, most programs would soon end with a TypeError. */
  private repair(variable: Variable): void {
    if (this.random.chance(12)) return;
    const js = this.read(variable)[1];
    const [svc, twin] = this.literal();
    this.line(`${variable.name} ||= ${svc}`, `if (!$.truthy(${js})) ${js} = ${twin};`);
  }

  private store(variable: Variable, result: string): void {
    this.line('', `${this.read(variable)[1]} = ${result};`);
    this.repair(variable);
  }

  private assignment(): void {
    const value = this.small(this.int());
    this.assign(this.target(), value);
  }

  private change(): void {
    const vectors = this.visible('vector');
    const hashes = this.visible('hash');
    const value = this.small(this.int(1));
    if (hashes.length > 0 && this.random.chance(30)) {
      const [svc, js] = this.read(this.random.pick(hashes));
      const key = this.random.pick(KEYS);
      this.line(`${svc}.${key} = ${value[0]}`, `$.setKey(${js}, '${key}', ${value[1]});`);
    } else if (vectors.length > 0 && this.random.chance(60)) {
      const [svc, js] = this.read(this.random.pick(vectors));
      const i = this.random.below(4);
      if (this.random.chance(40)) this.line(`${svc}[${i}] = ${value[0]}`, `$.put(${js}, ${i}n, ${value[1]});`);
      // Vectors may grow while a loop runs over them, so few elements are added.
      else
        this.line(
          `${svc} << ${this.par(value)} if ${svc}.length < 6`,
          `if ($.less($.size(${js}), 6n)) $.push(${js}, ${value[1]});`,
        );
    } else {
      const variable = this.known();
      const op = this.random.pick([
        ['+', 'add'],
        ['-', 'sub'],
        ['*', 'mul'],
      ]);
      const [name, js] = this.read(variable);
      if (op[0] === '*') this.line(`${name} *= 2`, `${js} = $.mul(${js}, 2n);`);
      else this.line(`${name} ${op[0]}= ${value[0]}`, `${js} = $.${op[1]}(${js}, ${value[1]});`);
      this.line(`${name} = ${name} % 1009`, `${js} = $.mod(${js}, 1009n);`);
    }
  }

  private par([svc]: Pair): string {
    return `(${svc})`;
  }

  private raise(): void {
    const condition = this.condition();
    const message = this.atom();
    const [svc, js] = this.random.pick<Pair>([
      [`raise "no #{${message[0]}}"`, `$.fail('RuntimeError', \`no \${$.text(${message[1]})}\`)`],
      [`raise Oops, "oops #{${message[0]}}"`, `$.fail('Oops', \`oops \${$.text(${message[1]})}\`)`],
      ['raise Oops', "$.fail('Oops', 'Oops')"],
      ['raise KeyError', "$.fail('KeyError')"],
    ]);
    this.line(`${svc} if ${condition[0]}`, `if (${condition[1]}) ${js};`);
  }

  /** `break`, `next` or `return`, under a condition. */
  private jump(): void {
    if (this.context.inEnsure && this.random.chance(80)) return;
    const { around, labels, returns, nextReturns } = this.context;
    const condition = this.condition();
    const value = this.atom();
    const ways: Pair[] = [];
    if (around?.kind === 'loop') {
      ways.push(
        [`break ${value[0]}`, `{ ${around.id}r = ${value[1]}; break ${around.id}; }`],
        ['next', `continue ${around.id};`],
      );
      for (const { id, label } of labels)
        ways.push([`break :${label}`, `{ ${id}r = null; break ${id}; }`], [`next :${label}`, `continue ${id};`]);
    } else if (around?.kind === 'block') {
      ways.push(
        [`break ${value[0]}`, `$.leave(${around.id}, ${value[1]});`],
        [`next ${value[0]}`, `return ${value[1]};`],
        ['next', 'return null;'],
      );
    } else if (nextReturns) ways.push([`next ${value[0]}`, `return ${value[1]};`]);
    if (around?.kind === 'call') ways.push([`break ${value[0]}`, `$.leave(${around.id}, ${value[1]});`]);
    if (returns !== null)
      ways.push([
        `return ${value[0]}`,
        returns.direct ? `return ${value[1]};` : `$.leave(${returns.id}, ${value[1]});`,
      ]);
    if (ways.length === 0) return;
    const [svc, js] = this.random.pick(ways);
    this.line(`${svc} if ${condition[0]}`, `if (${condition[1]}) ${js}`);
  }

  private destructure(): void {
    const ints = this.visible('int');
    const vectors = this.visible('vector');
    if (ints.length > 1 && this.random.chance(40)) {
      const [a, b] = [this.random.pick(ints), this.random.pick(ints)];
      const [ra, rb] = [this.read(a)[1], this.read(b)[1]];
      this.line(
        `${a.name}, ${b.name} = ${b.name}, ${a.name}`,
        `{ const both = [${rb}, ${ra}]; ${ra} = both[0]; ${rb} = both[1]; }`,
      );
      return;
    }
    const source: Pair = vectors.length > 0 ? this.read(this.random.pick(vectors)) : this.vectorLiteral();
    const a = this.target();
    const b = this.random.chance(50) ? this.target() : null;
    const middle = this.declare('vector');
    const ra = this.read(a)[1];
    if (b === null)
      this.line(
        `${a.name}, *${middle.name} = ${source[0]}`,
        `{ const it = ${source[1]}; ${ra} = $.part(it, 0); ${middle.name} = $.rest(it, 1, 0); }`,
      );
    else
      this.line(
        `${a.name}, *${middle.name}, ${b.name} = ${source[0]}`,
        `{ const it = ${source[1]}; ${ra} = $.part(it, 0); ${middle.name} = $.rest(it, 1, 1); ${this.read(b)[1]} = $.partAfter(it, 1, 1); }`,
      );
    this.repair(a);
    if (b !== null) this.repair(b);
  }

  private ensureCall(): void {
    const call = this.functionCall();
    if (call === null) this.assignment();
    else if (this.random.chance(40)) this.emit(call);
    else {
      const target = this.target();
      this.assign(target, call);
      this.repair(target);
    }
  }

  private conditional(): void {
    const value = this.random.chance(35) ? this.known() : null;
    const condition = this.condition();
    const [start, end]: Pair = value === null ? ['', ''] : [`${value.name} = `, ''];
    const result = this.name('r');
    if (value !== null) this.line('', `let ${result} = null;`);
    this.line(`${start}if ${condition[0]}${end}`, `if (${condition[1]}) {`);
    this.branch(value, result);
    if (this.random.chance(40)) {
      const other = this.condition();
      this.line(`elsif ${other[0]}`, `} else if (${other[1]}) {`);
      this.branch(value, result);
    }
    if (this.random.chance(60)) {
      this.line('else', '} else {');
      this.branch(value, result);
    }
    this.line('end', '}');
    if (value !== null) this.store(value, result);
  }

  /** Statements; the last one is a value if it is used. */
  private branch(value: Variable | null, result: string): void {
    this.indent++;
    this.body(1 + this.random.below(3));
    if (value !== null) this.result(result);
    this.indent--;
  }

  private result(result: string): void {
    const [svc, js] = this.int(1);
    this.line(svc, `${result} = ${js};`);
  }

  /** Patterns of which one fits a vector. An Integer, to which a `break` may have set the variable, fits none. */
  private caseIn(): void {
    const vectors = this.visible('vector');
    const source: Pair = vectors.length > 0 ? this.read(this.random.pick(vectors)) : this.vectorLiteral();
    const [a, other, middle] = [this.target(), this.target(), this.declare('vector')];
    // No name may stand twice in a pattern.
    const b = other.name === a.name ? this.declare('int') : other;
    const value = this.random.chance(50) ? this.known() : null;
    const [result, it] = [this.name('r'), this.name('it')];
    this.line('', `let ${result} = null; const ${it} = ${source[1]};`);
    this.line(`${value === null ? '' : `${value.name} = `}case ${source[0]}`, '');
    this.line(
      `in [${a.name}, *${middle.name}, ${b.name}]`,
      `if (Array.isArray(${it}) && ${it}.length >= 2) { ${this.read(a)[1]} = $.part(${it}, 0); ${middle.name} = $.rest(${it}, 1, 1); ${this.read(b)[1]} = $.partAfter(${it}, 1, 1);`,
    );
    for (const variable of [a, b]) this.repair(variable);
    this.branch(value, result);
    this.line('in []', `} else if (Array.isArray(${it}) && ${it}.length === 0) {`);
    this.branch(value, result);
    this.line(
      'in [1..5 | nil]',
      `} else if (Array.isArray(${it}) && (${it}[0] === null || (!$.less(${it}[0], 1n) && !$.less(5n, ${it}[0])))) {`,
    );
    this.branch(value, result);
    this.line(`in [_] | nil => ${middle.name}`, `} else if (Array.isArray(${it} ?? [])) { ${middle.name} = ${it};`);
    this.branch(value, result);
    this.line('end', `} else $.fail('NoMatchError');`);
    this.line(`${middle.name} = [] if ${middle.name} == nil`, `if (${middle.name} === null) ${middle.name} = [];`);
    if (value !== null) this.store(value, result);
  }

  private caseWhen(): void {
    const value = this.random.chance(50) ? this.known() : null;
    const result = this.name('r');
    const subject = this.int(1);
    this.line('', `let ${result} = null;`);
    this.line(
      `${value === null ? '' : `${value.name} = `}case ${subject[0]}`,
      `switch (((s) => s === null ? 3 : $.same(s, 1n) || $.same(s, 2n) ? 0 : !$.less(s, 3n) && !$.less(9n, s) ? 1 : $.less(s, 0n) && !$.less(s, -9999999999999999n) ? 2 : 3)(${subject[1]})) {`,
    );
    for (const [i, pattern] of ['1, 2', '3..9', '-9999999999999999..-1'].entries()) {
      this.line(`when ${pattern}`, `case ${i}: {`);
      this.branch(value, result);
      this.line('', '  break; }');
    }
    if (this.random.chance(70)) {
      this.line('else', 'default: {');
      this.branch(value, result);
      this.line('', '  break; }');
    }
    this.line('end', '}');
    if (value !== null) this.store(value, result);
  }

  // ---- loops

  /** Runs `write` for code that runs `count` times. */
  private repeated(count: number, context: Partial<Context>, write: () => void): void {
    const { times, context: outer } = this;
    this.times = times * count;
    this.context = { ...outer, ...context };
    write();
    this.times = times;
    this.context = outer;
  }

  private loopContext(id: string, label: string | null): Partial<Context> {
    const { labels, around } = this.context;
    const kept = around?.kind === 'block' ? [] : labels;
    return { around: { kind: 'loop', id, label }, labels: label === null ? kept : [...kept, { id, label }] };
  }

  private whileLoop(): void {
    const count = 1 + this.random.below(3);
    const value = this.random.chance(30) ? this.known() : null;
    const id = this.name('L');
    const counter = this.declare('int', this.name('c'));
    const start = value === null ? '' : `${value.name} = `;
    this.line(`${counter.name} = 0`, `${counter.name} = 0n; let ${id}r = null;`);
    const c = this.read(counter)[1];
    // Only the loop may assign its counter.
    this.scope.variables.pop();
    const form = this.random.below(4);
    if (form === 0) this.line(`${start}until ${counter.name} >= ${count}`, `${id}: while ($.less(${c}, ${count}n)) {`);
    else if (form === 1) this.line(`${start}loop do`, `${id}: for (;;) {`);
    else this.line(`${start}while ${counter.name} < ${count}`, `${id}: while ($.less(${c}, ${count}n)) {`);
    this.indent++;
    const write = (): void => {
      if (form === 1)
        this.line(
          `break ${counter.name} if ${counter.name} >= ${count}`,
          `if (!$.less(${c}, ${count}n)) { ${id}r = ${c}; break ${id}; }`,
        );
      this.line(`${counter.name} += 1`, `${c} = $.add(${c}, 1n);`);
      this.body();
    };
    this.repeated(count, this.loopContext(id, null), () => {
      if (form !== 1) write();
      else this.inlinedBody(write);
    });
    this.indent--;
    this.line('end', '}');
    if (value !== null) this.store(value, `${id}r`);
  }

  /** The body of `loop do`: a scope of its own in a JavaScript loop. */
  private inlinedBody(write: () => void): void {
    const outer = this.scope;
    let declared = '';
    const [svc, js] = this.capture(() => {
      this.indent--;
      declared = this.inScope(outer, write);
      this.indent++;
    });
    this.svc.push(svc);
    this.js.push(declared, js);
  }

  private forLoop(): void {
    const id = this.name('L');
    const label = this.random.chance(40) ? this.name('outer') : null;
    const mark = label === null ? '' : `:${label} `;
    const x = this.name('x');
    this.scope.declared.push(`${x} = { v: null }`);
    const vectors = this.visible('vector');
    const hashes = this.visible('hash');
    const over = this.random.below(4);
    this.line('', `let ${id}r = null;`);
    const inside: Variable[] = [{ name: x, type: 'int', box: true }];
    let count = 3;
    if (over === 0 && hashes.length > 0) {
      const key = this.name('key');
      this.scope.declared.push(`${key} = null`);
      const [svc, js] = this.read(this.random.pick(hashes));
      this.line(
        `for ${mark}${key}, ${x} in ${svc}`,
        `${id}: for (const [kk, xx] of $.pairs(${js})) { ${key} = { v: kk }; ${x} = { v: xx };`,
      );
    } else if (over === 1 || vectors.length === 0) {
      const [lo, length] = [this.random.below(3), this.random.below(4)];
      count = Math.max(1, length);
      this.line(
        `for ${mark}${x} in ${lo}...${lo + length}`,
        `${id}: for (let ii = ${lo}n; ii < ${lo + length}n; ii++) { ${x} = { v: ii };`,
      );
    } else {
      const [svc, js] = this.read(this.random.pick(vectors));
      count = 6;
      this.line(`for ${mark}${x} in ${svc}`, `${id}: for (const xx of $.items(${js})) { ${x} = { v: xx };`);
    }
    this.indent++;
    this.scope.variables.push(...inside);
    this.repeated(count, this.loopContext(id, label), () => this.body());
    this.indent--;
    this.line('end', '}');
    // After the loop it has the last value.
    if (WITHOUT.has('after') || this.random.chance(60)) for (const variable of inside) this.hidden.add(variable);
    else this.repair(inside[0]);
  }

  // ---- blocks

  /** A core iterator with a literal block, which is inlined. */
  private iterator(): void {
    const method = this.random.pick(ITERATORS);
    const vectors = this.visible('vector');
    const counts = method === 'times' || method === 'upto';
    const n = this.random.below(4);
    const recv: Pair = counts
      ? [`${n}`, `${n}n`]
      : vectors.length > 0 && this.random.chance(80)
        ? this.read(this.random.pick(vectors))
        : this.vectorLiteral();
    const first: Pair | null = method === 'reduce' ? this.int(2) : method === 'upto' ? this.limit(n) : null;
    const params =
      method === 'reduce' || method === 'each_with_index' ? 2 : method === 'each' && this.random.chance(15) ? 2 : 1;
    const id = this.name('B');
    const type: Type = method === 'map' || method === 'select' ? 'vector' : 'int';
    const useful = method !== 'each' && method !== 'each_with_index';
    const [block, blockJs] = this.block(id, params, method, counts ? 3 : 6);
    const args = first === null ? '' : `(${first[0]})`;
    const call: Pair = [
      `${recv[0]}.${method}${args} ${block}`,
      `$.catching((${id}) => $.iterators['${method}'](${recv[1]}, ${blockJs}, ${first?.[1] ?? 'null'}))`,
    ];
    if (!useful || this.random.chance(25)) this.emit(call);
    else if (type === 'int' && method !== 'any?' && this.random.chance(30)) {
      const more = this.atom();
      this.assign(this.target(), [`${more[0]} + ${call[0]}`, `$.add(${more[1]}, ${call[1]})`]);
    } else if (method === 'any?') this.puts('any', [call]);
    else {
      const known = this.visible(type).filter(({ fixed }) => fixed !== true);
      const target = this.random.chance(50) && known.length > 0 ? this.random.pick(known) : this.declare(type);
      this.assign(target, call);
      // `find` may return nil, and `map` an Integer after `break`.
      if (type === 'int') this.repair(target);
    }
  }

  /** End of `upto`, at most three iterations away. */
  private limit(from: number): Pair {
    const variables = this.visible('int');
    if (WITHOUT.has('args') || variables.length === 0 || this.random.chance(40)) return [`${from + 2}`, `${from + 2}n`];
    const variable = this.random.pick(variables);
    const js = this.read(variable)[1];
    this.line(`${variable.name} = ${from + 2}`, `${js} = ${from + 2}n;`);
    return [variable.name, js];
  }

  /** A literal block and its twin, an arrow function in which `next` is `return`. */
  private block(id: string, params: number, method: string, count: number): Pair {
    const names = Array.from({ length: params }, () => this.name('p'));
    const outer = this.scope;
    const { context } = this;
    let declared = '';
    const returns = context.returns === null ? null : { ...context.returns, direct: false };
    const [svc, js] = this.capture(() => {
      declared = this.inScope(outer, () => {
        this.scope.variables.push(...names.map((name) => ({ name, type: 'int' as const, box: false })));
        this.repeated(
          count,
          {
            around: { kind: 'block', id, label: null },
            labels: [],
            returns,
            nextReturns: false,
            inEnsure: context.inEnsure,
          },
          () => {
            this.body();
            this.blockValue(method);
          },
        );
      });
    });
    const apart =
      method === 'each' && params === 2
        ? `${names[1]} = $.part(${names[0]}, 1); ${names[0]} = $.part(${names[0]}, 0);`
        : '';
    const space = '  '.repeat(this.indent);
    return [
      `{ |${names.join(', ')}|\n${svc}\n${space}}`,
      `(${names.join(', ')}) => { ${apart} ${declared}\n${js}\n${space}}`,
    ];
  }

  private blockValue(method: string): void {
    const [svc, js] = method === 'select' || method === 'find' || method === 'any?' ? this.condition() : this.int(1);
    this.line(svc, `return ${js};`);
  }

  /** The JavaScript closure captures the boxes of `for` variables at its creation. */
  private closed(js: string): string {
    const boxes: string[] = [];
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent)
      boxes.push(...scope.variables.filter(({ box }) => box).map(({ name }) => name));
    return boxes.length === 0 ? js : `((${boxes.join(', ')}) => ${js})(${boxes.join(', ')})`;
  }

  /**
   * A lambda, or a block that is passed to a function. `next` and `return` leave it.
   * @param call what `break` ends; null: nothing
   */
  private closure(params: number, call: string | null = null): { names: string[]; body: Pair; cost: number } {
    const names = Array.from({ length: params }, () => this.name('p'));
    const { scope: outer, context, times, budget } = this;
    this.times = 1;
    this.budget = 60;
    const id = this.name('F');
    let declared = '';
    const [svc, js] = this.capture(() => {
      declared = this.inScope(outer, () => {
        this.scope.variables.push(...names.map((name) => ({ name, type: 'int' as const, box: false })));
        this.context = {
          around: call === null ? null : { kind: 'call', id: call, label: null },
          labels: [],
          returns: { id, direct: true },
          nextReturns: true,
          inEnsure: false,
        };
        this.body();
        const [value, twin] = this.int(1);
        this.line(value, `return ${twin};`);
      });
    });
    const cost = 60 - this.budget + 2;
    this.context = context;
    this.times = times;
    this.budget = budget;
    return { names, body: [svc, `$.catching((${id}) => { ${declared}\n${js}\n})`], cost };
  }

  private lambda(): void {
    const variable: Variable = { name: this.name('f'), type: 'function', box: false };
    const { names, body, cost } = this.closure(1);
    this.scope.declared.push(`${variable.name} = null`);
    const space = '  '.repeat(this.indent);
    this.line(
      `${variable.name} = ->(${names[0]}) {\n${body[0]}\n${space}}`,
      `${variable.name} = ${this.closed(`(${names[0]}) => ${body[1]}`)};`,
    );
    this.scope.variables.push(variable);
    this.lambdaCosts.set(variable.name, cost);
  }

  private blockCall(): void {
    const takers = this.defs.filter(({ takesBlock }) => takesBlock);
    if (takers.length === 0) return;
    const def = this.random.pick(takers);
    const call = this.name('C');
    const { names, body, cost } = this.closure(1, call);
    if (!this.affords(def.cost + 8 * cost)) return;
    const space = '  '.repeat(this.indent);
    const block: Pair = [` { |${names[0]}|\n${body[0]}\n${space}}`, this.closed(`(${names[0]}) => ${body[1]}`)];
    const [svc, js] = this.defCall(def, block);
    this.assign(this.target(), [svc, `$.catching((${call}) => ${js})`]);
  }

  private spawn(): void {
    const names = [...this.visible('int'), ...this.visible('vector'), ...this.visible('hash')];
    const { body, cost } = this.closure(0);
    if (!this.affords(cost)) return;
    const space = '  '.repeat(this.indent);
    const task = this.name('task');
    const list = names.map(({ name }) => name).join(', ');
    const values = names.map((variable) => this.read(variable)[1]).join(', ');
    const rebox = names
      .filter(({ box }) => box)
      .map(({ name }) => `${name} = { v: ${name} };`)
      .join(' ');
    const target = this.target();
    this.line(`${task} = spawn do\n${body[0]}\n${space}end`, '');
    this.line(
      `${target.name} = await ${task}`,
      `${this.read(target)[1]} = ((${list}) => { ${rebox} return ${body[1]}; })(...$.copies([${values}]));`,
    );
  }

  // ---- errors

  private guarded(): void {
    const value = this.random.chance(35) ? this.known() : null;
    const result = this.name('r');
    const hasRescue = this.depth === 0 || this.random.chance(75);
    const hasEnsure = !hasRescue || this.random.chance(50);
    const retries = hasRescue && this.random.chance(30) ? this.name('c') : null;
    if (retries !== null) this.line(`${retries} = 0`, `let ${retries} = 0n;`);
    this.line(`${value === null ? '' : `${value.name} = `}begin`, `let ${result} = null;`);
    if (hasEnsure) this.line('', 'try {');
    if (hasRescue) this.rescued(value, result, retries);
    else this.branch(value, result);
    if (hasEnsure) {
      this.line('ensure', '} finally {');
      this.repeated(retries === null ? 1 : 3, { inEnsure: true }, () => this.branch(null, ''));
      this.line('', '}');
    }
    this.line('end', '');
    if (value !== null) this.store(value, result);
  }

  /** A body with its clauses. With `retry` the whole is a loop in JavaScript. */
  private rescued(value: Variable | null, result: string, retries: string | null): void {
    const loop = this.name('R');
    const ok = this.name('ok');
    const hasElse = this.random.chance(30);
    this.line('', `${loop}: for (;;) { let ${ok} = false; try {`);
    this.repeated(retries === null ? 1 : 3, {}, () => this.branch(hasElse ? null : value, result));
    this.line('', `  ${ok} = true; } catch (thrown) { if (!(thrown instanceof $.SvcTwinError)) throw thrown;`);
    this.clauses(value, result, retries, loop);
    this.line('', '}');
    if (hasElse) {
      this.line('else', `if (${ok}) {`);
      this.repeated(retries === null ? 1 : 3, {}, () => this.branch(value, result));
      this.line('', '}');
    }
    this.line('', `break ${loop}; }`);
  }

  private clauses(value: Variable | null, result: string, retries: string | null, loop: string): void {
    const types = this.random.pick([
      ['RuntimeError'],
      ['ZeroDivisionError', 'TypeError'],
      ['Oops'],
      ['Error'],
      ['Error'],
      ['Error'],
      ['KeyError'],
      ['Oops', 'AttributeError', 'TypeError'],
    ]);
    const error = this.name('e');
    const safe = this.depth === 0 && this.random.chance(85);
    const test = types.map((type) => `thrown.is('${type}')`).join(' || ');
    const clause = (head: string, condition: string, named: boolean): void => {
      this.line(head, `${condition} {`);
      this.indent++;
      this.line(named ? `puts("${error} #{${error}.type}")` : '', named ? `puts(\`${error} \${thrown.type}\`);` : '');
      if (retries !== null && named) {
        this.line(`${retries} += 1`, `${retries} += 1n;`);
        this.line(`retry if ${retries} < 3`, `if (${retries} < 3n) continue ${loop};`);
      }
      if (!safe && this.random.chance(25)) this.line('raise', 'throw thrown;');
      this.indent--;
      this.repeated(retries === null ? 1 : 3, {}, () => this.branch(value, result));
    };
    clause(`rescue ${types.join(', ')} => ${error}`, `if (${test})`, true);
    if (safe || this.random.chance(40)) clause('rescue', '} else', false);
    else this.line('', '} else { throw thrown;');
    this.line('', '}');
  }

  // ---- functions

  private def(): void {
    const { budget, times, context, depth } = this;
    this.budget = 120;
    this.times = 1;
    this.depth = 1;
    const takesBlock = this.random.chance(35);
    const def: Def = { name: this.name('fn'), cost: 0, params: [], hasRest: false, takesBlock };
    const count = 1 + this.random.below(2);
    for (let i = 0; i < count; i++)
      def.params.push({
        name: this.name('p'),
        kind: i > 0 && !takesBlock && this.random.chance(60) ? 'optional' : 'plain',
      });
    if (!takesBlock && def.params.every(({ kind }) => kind === 'plain')) def.hasRest = this.random.chance(30);
    if (!takesBlock && this.random.chance(30)) def.params.push({ name: this.name('p'), kind: 'named' });
    const id = this.name('F');
    let declared = '';
    let signature: Pair = ['', ''];
    const ensured = this.random.chance(25);
    const [svc, js] = this.capture(() => {
      declared = this.inScope(null, () => {
        signature = this.signature(def);
        this.context = { around: null, labels: [], returns: { id, direct: true }, nextReturns: false, inEnsure: false };
        this.functionBody(def, ensured);
      });
    });
    this.line(
      `def ${def.name}(${signature[0]})\n${svc}\nend`,
      `function ${def.name}({ ${signature[1]} }) { return $.catching((${id}) => { ${declared}\n${js}\n}); }`,
    );
    def.cost = 120 - this.budget + 2;
    this.defs.push(def);
    Object.assign(this, { budget, times, context, depth });
  }

  private signature(def: Def): Pair {
    const svc: string[] = [];
    const js: string[] = [];
    for (const { name, kind } of def.params) {
      const fallback: Pair = kind === 'plain' ? ['', ''] : this.int(2);
      if (kind === 'named' && def.hasRest) {
        svc.push('*rest');
        js.push('rest = []');
      }
      svc.push(kind === 'plain' ? name : kind === 'optional' ? `${name} = ${fallback[0]}` : `${name}: ${fallback[0]}`);
      js.push(kind === 'plain' ? name : `${name} = ${fallback[1]}`);
      this.scope.variables.push({ name, type: 'int', box: false });
    }
    if (def.hasRest && !js.includes('rest = []')) {
      svc.push('*rest');
      js.push('rest = []');
    }
    if (def.hasRest) this.scope.variables.push({ name: 'rest', type: 'vector', box: false });
    if (def.takesBlock) {
      svc.push('act');
      js.push('block: act = null');
    }
    return [svc.join(', '), js.join(', ')];
  }

  private functionBody(def: Def, ensured: boolean): void {
    this.scope.variables.push({ name: 'shared_list', type: 'vector', box: false, fixed: true });
    if (ensured) this.line('', 'try {');
    this.declareSome();
    if (def.takesBlock) this.callBlock();
    this.body(2 + this.random.below(3));
    if (def.takesBlock) this.callBlock();
    const [value, twin] = this.int(1);
    this.line(value, `return ${twin};`);
    if (!ensured) return;
    this.indent--;
    this.line('ensure', '} finally {');
    this.indent++;
    this.context = { ...this.context, inEnsure: true };
    this.body(1);
    this.puts(`${def.name} ends`, []);
    this.line('', '}');
  }

  private callBlock(): void {
    const arg = this.int(1);
    const target = this.target();
    this.assign(target, [`act(${arg[0]})`, `$.callValue(act, ${arg[1]})`]);
  }
}
