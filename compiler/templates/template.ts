/** Compiles a template to a function of the program that makes its text. */
import type * as Ast from '../ast.js';
import { walk } from '../check/walk.js';
import { type Problem, problem } from '../diagnostics/problem.js';
import { nearest } from '../../vm/bytecode/nearest.js';
import { callOf, escapedAt } from './escapes.js';
import { HtmlPlace, type Place, Refusal } from './htmlplace.js';
import { MARKUP, type Masked, type Tag } from './mask.js';
import { hiddenValues, isFunctionPart, type OwnKind, readNames } from './names.js';

/** What a template needs to know of the program. */
export interface Surroundings {
  /** Its name, such as `notes/list`. */
  readonly name: string;
  /** The names of all templates of its directory. */
  readonly templates: ReadonlySet<string>;
  /** Length of its text. */
  readonly length: number;
  /** What a name is that the program itself defines. */
  readonly ownKind: OwnKind;
}

export interface CompiledTemplate {
  readonly def: Ast.Def;
  /** Names of the values that it is given, and where it first reads them. */
  readonly locals: ReadonlyMap<string, number>;
  readonly problems: Problem[];
}

/**
 * Parameters of each template's function before its values: the page that is made, all values as a hash, and where its
 * text is sent while it is made, nil if it is not.
 */
const PAGE = '%page';
const LOCALS = '%locals';
const STREAM = '%stream';
const OUT = '%out';

/** Words of templates, and the functions that they stand for, which take the page as their first argument. */
export const WORDS: Readonly<Record<string, string>> = {
  render: '%partial',
  content_for: '%content',
  'content_for?': '%has_content',
  yield: '%content',
};

/** Functions whose text is shown by another one in the text of a page, and their numbers of arguments there. */
const PARTS = [
  { name: '%partial', args: [2, 3], part: '%page_partial' },
  { name: '%content', args: [1], part: '%page_yield' },
];

/** What belongs in a program, in words. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  Def: 'define functions',
  RecordDecl: 'define records',
  InterfaceDecl: 'define interfaces',
  EnumDecl: 'define enums',
  ErrorDecl: 'define types of errors',
  UseModule: 'load modules',
};

/** Words of templates that write for one kind of place. */
const PLACE_WORDS: Readonly<Record<string, { places: readonly Place[]; where: string; hint: string }>> = {
  json: {
    places: ['script', 'script-attribute'],
    where: 'in scripts and styles',
    hint: 'write `value.to_json` for JSON as text, or the value itself: it is escaped for its place',
  },
  attributes: {
    places: ['attributes'],
    where: 'between the attributes of a tag',
    hint: 'write the value itself: it is escaped for its place',
  },
};

/** A loop around a place: where it begins, and where its rounds end. */
interface Loop {
  readonly start: HtmlPlace;
  readonly ends: HtmlPlace[];
}

/** Loops within one another, and translations of each, that find where in a tag a loop begins. */
const MAX_NESTED = 3;
const MAX_TRIES = 6;

/** Turns the statements of a masked template into its function. */
export function compileTemplate(stmts: Ast.Expr[], masked: Masked, around: Surroundings): CompiledTemplate {
  return new Template(masked, around).compile(stmts);
}

class Template {
  private readonly problems: Problem[] = [];
  private place = new HtmlPlace();
  /** The variable that collects the text. */
  private out = OUT;
  /** The loops around the current place. */
  private readonly loops: Loop[] = [];
  private captures = 0;
  private readonly markupAt: Map<number, string>;
  private readonly shown = new Set<Tag>();

  constructor(
    private readonly masked: Masked,
    private readonly around: Surroundings,
  ) {
    this.markupAt = new Map(masked.markups.map(({ at, text }) => [at, text]));
  }

  compile(stmts: Ast.Expr[]): CompiledTemplate {
    const all = { start: 0, end: this.around.length };
    this.refuseDeclarations(stmts);
    for (const { node, name } of hiddenValues(stmts, this.around.ownKind))
      this.problem(
        'template-value',
        node,
        `'${name}' is a variable of the template here, not the value that \`render\` was given`,
        `write \`${name} = locals["${name}"] || …\``,
      );
    this.translateWords(stmts);
    const written = this.statements(stmts);
    if (!this.place.isText)
      this.problem(
        'template-place',
        { start: this.around.length, end: this.around.length },
        `the template ends ${this.place.describe()}`,
        'close the tag, the quote or the element',
      );
    this.checkEmptyTags();
    const { missing: locals, own } = readNames(written, this.masked.text, this.around.ownKind);
    for (const node of own) this.preferValue(node);
    const params = [PAGE, LOCALS, STREAM, ...locals.keys()].map((name): Ast.Param => ({
      ...HEAD,
      name,
      kind: 'plain',
      default: null,
      pattern: null,
      annotation: null,
    }));
    const body: Ast.Body = {
      ...all,
      stmts: [this.begin(), ...written, ident(this.out, HEAD)],
      rescues: [],
      else: null,
      ensure: null,
    };
    const def: Ast.Def = {
      ...all,
      type: 'Def',
      name: { ...HEAD, name: this.around.name },
      params,
      body,
      doc: '',
      returns: null,
      isPrivate: false,
    };
    return { def, locals, problems: this.problems };
  }

  private problem(code: Problem['code'], at: Ast.Node, message: string, hint = ''): void {
    this.problems.push(problem(code, message, at.start, at.end, [], hint));
  }

  /** A tag without a value is a mistake, for it shows nothing. */
  private checkEmptyTags(): void {
    for (const tag of this.masked.tags)
      if (tag.kind !== 'code' && !this.shown.has(tag) && this.problems.length === 0)
        this.problem(
          'template-value',
          { start: tag.start, end: tag.to },
          'this tag shows no value',
          'write an expression after `=`, or remove the tag',
        );
  }

  /** Functions, types and modules belong to the program. */
  private refuseDeclarations(stmts: readonly Ast.Expr[]): void {
    walk(stmts, (node) => {
      if (!Object.hasOwn(DECLARATIONS, node.type)) return;
      const isFunction = node.type === 'Def';
      const { start } = node;
      this.problem(
        'template-value',
        { start, end: this.tagOf(node)?.to ?? node.end },
        `a template cannot ${DECLARATIONS[node.type]}`,
        isFunction
          ? 'define it in the file that calls `app.templates`; for markup write a partial, shown with `render`, or `content_for`'
          : 'write it in the file that calls `app.templates`',
      );
      this.becomes(node, { type: 'Nil', start, end: node.end });
    });
  }

  // ---- names

  /** Replaces the words of templates by the functions they stand for. */
  private translateWords(root: unknown): void {
    walk(root, (node) => {
      if (node.type === 'Call' && node.callee.type === 'Ident') this.translateCall(node, node.callee);
      else if (node.type === 'Ident' && node.name === 'yield')
        this.becomes(node, callOf('%content', [ident(PAGE, node)], node));
      else if (node.type === 'Ident' && node.name === 'locals') node.name = LOCALS;
    });
  }

  /** A value that the template is given comes before what the program calls by the same name. */
  private preferValue(node: Ast.Ident): void {
    const name: Ast.Str = { ...HEAD, type: 'Str', value: node.name };
    this.becomes(node, callOf('%page_value', [ident(LOCALS, HEAD), name, { ...node }], node));
  }

  private isOwn(name: string): boolean {
    return this.around.ownKind(name) !== null;
  }

  private becomes(node: object, other: object): void {
    for (const key of Object.keys(node)) delete (node as Record<string, unknown>)[key];
    Object.assign(node, other);
  }

  private translateCall(node: Ast.Call, callee: Ast.Ident): void {
    const { name } = callee;
    if (!Object.hasOwn(WORDS, name) || this.isOwn(name)) return;
    if (name === 'render') this.checkPartial(node);
    callee.name = WORDS[name];
    node.args.unshift(ident(PAGE, node));
  }

  /** `render("_note")` means the one in the same folder if there is one. */
  private checkPartial({ args }: Ast.Call): void {
    const [first] = args;
    if (first?.type !== 'Str') return;
    const folder = this.around.name.replace(/[^/]*$/, '');
    const { templates } = this.around;
    if (templates.has(folder + first.value)) first.value = folder + first.value;
    else if (!templates.has(first.value)) {
      const near = nearest(first.value, templates);
      const hint =
        near === null ? `the templates are ${[...templates].slice(0, 10).join(', ')}` : `did you mean '${near}'?`;
      this.problem('unknown-template', first, `there is no template '${first.value}'`, hint);
    }
  }

  // ---- statements

  private begin(): Ast.Expr {
    return { ...HEAD, type: 'Assign', target: ident(this.out, HEAD), value: { ...HEAD, type: 'Str', value: '' } };
  }

  /** Translates statements; neighbouring texts and values become one assignment. */
  private statements(stmts: readonly Ast.Expr[]): Ast.Expr[] {
    const written: Ast.Expr[] = [];
    let parts: Ast.Expr[] = [];
    const flush = (): void => {
      if (parts.length > 0) written.push(...this.append(parts));
      parts = [];
    };
    stmts.forEach((node, i) => {
      const text = this.textOf(node);
      const tag = text === null ? this.tagOf(node) : null;
      if (text !== null) {
        this.advance(node, text);
        parts.push({ type: 'Str', value: text, start: node.start, end: node.start });
      } else if (tag !== null && tag.kind !== 'code') {
        const part = this.part(node, tag, stmts[i + 1]);
        if (part === null) parts.push(...this.value(node, tag, stmts[i + 1]));
        else {
          flush();
          written.push(...part);
        }
      } else {
        flush();
        written.push(this.statement(node));
      }
    });
    flush();
    return written;
  }

  private append(parts: Ast.Expr[]): Ast.Expr[] {
    const at = { start: parts[0].start, end: parts[parts.length - 1].end };
    // First a short text, then one append: joining texts costs by the length of the first one.
    const added: Ast.Expr[] = parts.length > 1 ? [{ ...at, type: 'Interp', parts }] : parts;
    const value: Ast.Interp = { ...at, type: 'Interp', parts: [ident(this.out, at), ...added] };
    return [this.assign(value, at), ...this.streaming('%page_flush', at)];
  }

  private assign(value: Ast.Expr, at: Ast.Node): Ast.Assign {
    return { start: at.start, end: at.end, type: 'Assign', target: ident(this.out, at), value };
  }

  /** Passes the text so far to `native` if the page is streamed. Text that is collected for later is not. */
  private streaming(native: string, at: Ast.Node): Ast.Expr[] {
    if (this.out !== OUT) return [];
    const body = [this.assign(callOf(native, [ident(STREAM, at), ident(OUT, at)], at), at)];
    return [{ start: at.start, end: at.end, type: 'If', clauses: [{ cond: ident(STREAM, at), body }], else: null }];
  }

  /** A partial or `yield` that is shown where it stands, so that it can be streamed; null for other values. */
  private part(node: Ast.Expr, tag: Tag, next: Ast.Expr | undefined): Ast.Expr[] | null {
    if (this.out !== OUT || node.type !== 'Call' || node.callee.type !== 'Ident' || node.block !== null) return null;
    const native = PARTS.find(
      ({ name, args }) => name === (node.callee as Ast.Ident).name && args.includes(node.args.length),
    )?.part;
    if (native === undefined || node.args.some(({ type }) => type === 'NamedArg' || type === 'Splat')) return null;
    if (next !== undefined && this.textOf(next) === null && this.tagOf(next) === tag) return null;
    if (this.place.place('') !== 'text') return null;
    this.shown.add(tag);
    this.place.afterValue();
    const [page, ...args] = node.args;
    const shown = callOf(native, [page, ident(STREAM, node), ident(OUT, node), ...args], node);
    return [...this.streaming('%page_hold', node), this.assign(shown, node), ...this.streaming('%page_flush', node)];
  }

  private textOf(node: Ast.Expr): string | null {
    return node.type === 'Ident' && node.name === MARKUP ? (this.markupAt.get(node.start) ?? '') : null;
  }

  /** The tag whose code begins with a statement. */
  private tagOf({ start }: Ast.Node): Tag | null {
    return this.masked.tags.find(({ from, to }) => from <= start && start <= to) ?? null;
  }

  private value(node: Ast.Expr, tag: Tag, next: Ast.Expr | undefined): Ast.Expr[] {
    this.shown.add(tag);
    if (STATEMENTS.has(node.type) || this.holdsText(node, tag, true)) {
      this.problem(
        'template-value',
        node,
        '`<%=` shows a value, and this is a statement',
        'write `<%` for code that shows nothing itself',
      );
      return [];
    }
    if (next !== undefined && this.textOf(next) === null && this.tagOf(next) === tag)
      this.problem(
        'template-value',
        next,
        'a tag with `=` holds one value',
        'write the other statements in a tag of their own, `<% … %>`',
      );
    const written =
      tag.kind === 'raw'
        ? callOf('%html_raw', [node], node)
        : this.isMisplaced(node)
          ? this.misplaced(node)
          : escapedAt(this.place, node, next === undefined ? '' : (this.textOf(next) ?? ''));
    if (written instanceof Refusal) {
      this.problem('template-place', node, written.message, written.hint);
      return [];
    }
    if (this.holdsText(node, tag, false) && !this.place.isText)
      this.problem('template-place', node, `a value with a block of text cannot stand ${this.place.describe()}`);
    this.nested(node, tag);
    this.place.afterValue();
    return [written];
  }

  /** Whether a value is a call of a word of templates that has no meaning at its place. */
  private isMisplaced(node: Ast.Expr): boolean {
    const name = calledName(node);
    if (name === null || !Object.hasOwn(PLACE_WORDS, name) || this.isOwn(name)) return false;
    const place = this.place.place('');
    return !(place instanceof Refusal) && !PLACE_WORDS[name].places.includes(place);
  }

  private misplaced(node: Ast.Expr): Refusal {
    const name = calledName(node) as string;
    const { where, hint } = PLACE_WORDS[name];
    return new Refusal(`\`${name}(…)\` stands only ${where}, and this is ${this.place.describe()}`, hint);
  }

  /** Whether text of the template stands in a value: in a block's body, or with `outside`, in any other part. */
  private holdsText(node: Ast.Expr, tag: Tag, outside: boolean): boolean {
    let found = false;
    const search = (item: unknown, inBlock: boolean): void => {
      if (item === null || typeof item !== 'object') return;
      const inner = inBlock || isFunctionPart(item);
      if (this.isForeign(item as Ast.Node, tag) && inner !== outside) found = true;
      for (const value of Object.values(item)) search(value, inner);
    };
    search(node, false);
    return found;
  }

  /** Whether a node is text, or stands in another tag. */
  private isForeign(node: Ast.Node, tag: Tag): boolean {
    return typeof node.start === 'number' && 'type' in node && (node.start < tag.from || node.start > tag.to);
  }

  // ---- code around text

  /** Translates what a statement holds. */
  private statement(node: Ast.Expr): Ast.Expr {
    switch (node.type) {
      case 'If':
        return this.branches(node, node.clauses, node.else !== null);
      case 'Case':
        return this.branches(node, node.whens, node.else !== null);
      case 'CaseIn':
        return this.branches(node, node.clauses, true);
      case 'While':
      case 'For':
        node.body = this.repeated(node.body, node);
        return node;
      case 'Begin':
        this.handled(node.body, node);
        return node;
      case 'Return':
        if (node.value !== null)
          this.problem(
            'template-value',
            node,
            '`return` of a template takes no value',
            'write `return` alone: the page ends there',
          );
        if (!this.place.isText)
          this.problem(
            'template-place',
            node,
            `the template ends ${this.place.describe()}`,
            'close the tag, the quote or the element',
          );
        node.value = ident(OUT, node);
        return node;
      case 'Break':
      case 'Next':
        this.leaves(node);
        return node;
      case 'Call':
        if (node.callee.type === 'Ident' && node.callee.name === '%content' && node.block !== null)
          return this.contentFor(node, node.block);
        break;
      default:
    }
    const tag = this.tagOf(node);
    if (tag !== null) this.nested(node, tag);
    return node;
  }

  /** @param isComplete whether one of the branches runs in any case */
  private branches(
    node: Ast.If | Ast.Case | Ast.CaseIn,
    parts: readonly { body: Ast.Expr[] }[],
    isComplete: boolean,
  ): Ast.Expr {
    const start = this.place;
    const ends: HtmlPlace[] = isComplete ? [] : [start];
    for (const part of parts) part.body = this.branch(part.body, start, ends);
    if (node.else !== null) node.else = this.branch(node.else, start, ends);
    this.meet(ends, node);
    return node;
  }

  /** Translates statements that begin at `start`; adds where they end to `ends`. */
  private branch(stmts: readonly Ast.Expr[], start: HtmlPlace, ends: HtmlPlace[]): Ast.Expr[] {
    this.place = start.copy();
    const written = this.statements(stmts);
    ends.push(this.place);
    return written;
  }

  private meet(ends: readonly HtmlPlace[], node: Ast.Expr): void {
    let [place] = ends;
    for (const end of ends) {
      const joined = place.join(end);
      if (joined === null) {
        this.endsDiffer(node, place.describe(), end.describe());
        break;
      }
      place = joined;
    }
    this.place = place.copy();
  }

  private endsDiffer(node: Ast.Expr, one: string, other: string): void {
    this.problem(
      'template-place',
      node,
      one === other
        ? `the branches end ${one}, but not at the same place of it`
        : `one branch ends ${one}, another ${other}`,
      'close in each branch what it opens: tags, quotes, attributes',
    );
  }

  /** Translates what may run several times, also at the places where it ends. */
  private repeated(stmts: readonly Ast.Expr[], node: Ast.Expr): Ast.Expr[] {
    const said = this.problems.length;
    let start = this.place.copy();
    for (let tries = start.isText || this.isDeep ? 0 : MAX_TRIES; ; tries--) {
      // Translating changes statements.
      const again = tries > 0 ? structuredClone(stmts) : stmts;
      const loop: Loop = { start, ends: [] };
      this.place = start.copy();
      this.loops.push(loop);
      const written = this.statements(stmts);
      this.loops.pop();
      loop.ends.push(this.place);
      const joined = loop.ends.reduce<HtmlPlace | null>((place, end) => place?.join(end) ?? null, start);
      if (joined === null || tries === 0) {
        if (joined?.equals(start) !== true) this.notTheSame(node, 'ends');
      } else if (!joined.equals(start)) {
        start = joined;
        stmts = again;
        this.problems.length = said;
        continue;
      }
      this.place = start.copy();
      return written;
    }
  }

  private get isDeep(): boolean {
    return this.loops.filter(({ start }) => !start.isText).length >= MAX_NESTED;
  }

  /** `break` and `next`. */
  private leaves(node: Ast.Expr): void {
    const loop = this.loops.at(-1);
    if (loop === undefined) return;
    if (this.place.join(loop.start) === null) this.notTheSame(node, 'leaves a loop');
    else loop.ends.push(this.place.copy());
  }

  /** Moves over text of the template. */
  private advance(node: Ast.Expr, text: string): void {
    this.place.advance(text);
    const found = this.place.takeAmbiguity();
    if (found === null) return;
    const { start } = this.masked.markups.find(({ at }) => at === node.start) ?? node;
    const at = start + found.at;
    this.problem('template-place', { start: at, end: at + 1 }, found.message, found.hint);
  }

  private notTheSame(node: Ast.Expr, what: string): void {
    this.problem(
      'template-place',
      node,
      `this code ${what} ${this.place.describe()}, where it did not begin`,
      'close in a block what it opens: tags, quotes, attributes',
    );
  }

  private handled(body: Ast.Body, node: Ast.Expr): void {
    const start = this.place.copy();
    const ends: HtmlPlace[] = [];
    body.stmts = this.branch(body.stmts, start, ends);
    for (const rescue of body.rescues) rescue.body = this.branch(rescue.body, start, ends);
    if (body.else !== null) body.else = this.branch(body.else, start, ends);
    if (body.ensure !== null) body.ensure = this.branch(body.ensure, start, ends);
    this.meet(ends, node);
  }

  /** Translates the blocks and functions within a node of a tag. */
  private nested(node: unknown, tag: Tag): void {
    if (node === null || typeof node !== 'object') return;
    if (isFunctionPart(node)) {
      this.functionPart(node, tag);
      return;
    }
    for (const value of Object.values(node)) this.nested(value, tag);
  }

  private functionPart(part: Ast.Block | Ast.Lambda, tag: Tag): void {
    const { body } = part;
    const hasText = body.stmts.some((stmt) => this.isForeign(stmt, tag) && this.tagOf(stmt) !== tag);
    if (!hasText) return;
    if (tag.kind === 'code') body.stmts = this.repeated(body.stmts, { ...part, type: 'Nil' });
    else body.stmts = this.captured(body.stmts, part);
  }

  /** Statements whose text is collected apart: their value is that text, as safe HTML. */
  private captured(stmts: readonly Ast.Expr[], node: Ast.Node): Ast.Expr[] {
    const { out, place } = this;
    this.captures++;
    this.out = `${OUT}${this.captures}`;
    this.place = new HtmlPlace();
    const written = [this.begin(), ...this.statements(stmts), callOf('%html_raw_value', [ident(this.out, HEAD)], HEAD)];
    if (!this.place.isText) this.notTheSame({ ...node, type: 'Nil' }, 'ends');
    this.out = out;
    this.place = place;
    return written;
  }

  private contentFor(node: Ast.Call, block: Ast.Block): Ast.Expr {
    const body: Ast.Body = { ...block.body, stmts: this.captured(block.body.stmts, block) };
    return callOf('%content_add', [...node.args, { type: 'Begin', body, start: node.start, end: node.end }], node);
  }
}

/** Where what the compiler adds is said to be. */
const HEAD = { start: 0, end: 0 };

/** Statements that have no value to show. */
const STATEMENTS: ReadonlySet<string> = new Set([
  'While',
  'For',
  'Assign',
  'OpAssign',
  'MultiAssign',
  'Return',
  'Break',
  'Next',
  'Def',
  'RecordDecl',
]);

function ident(name: string, { start, end }: Ast.Node): Ast.Ident {
  return { type: 'Ident', name, start, end };
}

function calledName(node: Ast.Expr): string | null {
  return node.type === 'Call' && node.callee.type === 'Ident' ? node.callee.name : null;
}
