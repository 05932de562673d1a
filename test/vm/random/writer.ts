import type { Random } from '../support/random.js';

/** The same piece of program in Svc and in JavaScript. */
export type Pair = readonly [svc: string, js: string];

export type Type = 'int' | 'vector' | 'hash' | 'function';

export interface Variable {
  name: string;
  type: Type;
  /** Whether it is a variable of `for`, new in each iteration; its JavaScript twin is a box. */
  box: boolean;
  /** Whether it is of the top level, which functions read but do not assign. */
  fixed?: boolean;
}

/** Variables of a function or an inlined block. */
export interface Scope {
  variables: Variable[];
  /** What JavaScript declares at the start of the scope. */
  declared: string[];
  parent: Scope | null;
}

/** Writes both texts in parallel, and tracks visible variables. */
export class Writer {
  protected svc: string[] = [];
  protected js: string[] = [];
  protected scope: Scope = { variables: [], declared: [], parent: null };
  /** Visible variables that are not used. */
  protected readonly hidden = new Set<Variable>();
  protected indent = 0;
  private names = 0;

  constructor(protected readonly random: Random) {}

  // ---- text

  protected line(svc: string, js: string): void {
    const space = '  '.repeat(this.indent);
    if (svc !== '') this.svc.push(space + svc);
    if (js !== '') this.js.push(space + js);
  }

  protected emit([svc, js]: Pair): void {
    this.line(svc, `${js};`);
  }

  protected capture(write: () => void): Pair {
    const { svc, js } = this;
    this.svc = [];
    this.js = [];
    this.indent++;
    write();
    this.indent--;
    const made: Pair = [this.svc.join('\n'), this.js.join('\n')];
    this.svc = svc;
    this.js = js;
    return made;
  }

  protected name(prefix: string): string {
    return `${prefix}${++this.names}`;
  }

  // ---- scopes

  /** Runs `write` in a new scope. Returns the JavaScript that declares its variables. */
  protected inScope(parent: Scope | null, write: () => void): string {
    const outer = this.scope;
    const scope: Scope = { variables: [], declared: [], parent };
    this.scope = scope;
    write();
    this.scope = outer;
    return scope.declared.length === 0 ? '' : `let ${scope.declared.join(', ')};`;
  }

  protected visible(type: Type): Variable[] {
    const out: Variable[] = [];
    for (let scope: Scope | null = this.scope; scope !== null; scope = scope.parent)
      out.push(...scope.variables.filter((v) => v.type === type && !this.hidden.has(v)));
    return out;
  }

  protected declare(type: Type, name = this.name(type[0])): Variable {
    const variable = { name, type, box: false };
    this.scope.variables.push(variable);
    this.scope.declared.push(`${name} = null`);
    return variable;
  }

  protected read({ name, box }: Variable): Pair {
    return [name, box ? `${name}.v` : name];
  }

  protected assign(variable: Variable, [svc, js]: Pair): void {
    this.line(`${variable.name} = ${svc}`, `${this.read(variable)[1]} = ${js};`);
  }

  protected puts(label: string, values: readonly Pair[]): void {
    const svc = values.map(([text]) => `#{${text}}`).join(' ');
    const js = values.map(([, text]) => `\${$.text(${text})}`).join(' ');
    this.line(`puts("${label} ${svc}")`, `puts(\`${label} ${js}\`);`);
  }
}
