/** Pages and their elements. */
import type { Element, ParentNode } from 'domhandler';
import { Errors, fail } from '../../../vm/values/error.js';
import { Handle, HandleType } from '../../../vm/values/handle.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Steps } from '../../../vm/values/steps.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { methodsOf, type Row } from '../../core/declare.js';
import { excerpt } from '../../core/strings/parsenumbers.js';
import type * as HtmlParser from './htmlparser.js';

const ELEMENT = new HandleType('HtmlElement');

let parser: typeof HtmlParser | null = null;

/** Loads the parser; null if it is loaded. */
export function loadParser(): Promise<unknown> | null {
  if (parser !== null) return null;
  return import('./htmlparser.js').then((loaded) => (parser = loaded));
}

function loaded(): typeof HtmlParser {
  return parser as typeof HtmlParser;
}

/** The elements of a page that the program has seen, so that an element is always the same value. */
type Page = WeakMap<ParentNode, HtmlElement>;

/** An element of a page, or the page as a whole. */
export class HtmlElement extends Handle {
  constructor(
    readonly node: ParentNode,
    readonly page: Page,
  ) {
    super();
    page.set(node, this);
  }

  get type(): HandleType {
    return ELEMENT;
  }

  get name(): string {
    return this.node.type === 'root' ? '' : (this.node as Element).name;
  }

  get attributes(): Record<string, string> {
    return this.node.type === 'root' ? {} : (this.node as Element).attribs;
  }

  other(node: Element): HtmlElement {
    return this.page.get(node) ?? new HtmlElement(node, this.page);
  }

  override describe(): string {
    if (this.name === '') return '<HtmlElement page>';
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${value}"`);
    return `<HtmlElement ${this.name}${attributes.join('').slice(0, 80)}>`;
  }
}

/** Parses a page, in steps. The parser must be loaded. */
export function* documentOf(source: string): Generator<void, HtmlElement, void> {
  return new HtmlElement(yield* loaded().parsePage(source), new WeakMap());
}

/** Maximum characters of a selector, which is parsed in one step. */
const MAX_SELECTOR = 10_000;

/** The reason of the parser of selectors, which leaves out what it found at the end of the text. */
function reasonOf(message: string): string {
  return /\bfound\s*$/i.test(message) ? `${message.trimEnd()} the end` : message;
}

function* selected(element: HtmlElement, selector: string, most: number): Generator<void, Element[], void> {
  if (selector.length > MAX_SELECTOR)
    fail(
      Errors.ValueError,
      `a CSS selector has at most ${MAX_SELECTOR} characters, got ${selector.length}: ${excerpt(selector)}`,
    );
  try {
    return yield* loaded().selected(element.node, selector, most);
  } catch (error) {
    return fail(Errors.ValueError, `${excerpt(selector)} is not a CSS selector: ${reasonOf((error as Error).message)}`);
  }
}

function* all(element: HtmlElement, selector: string): Steps {
  return (yield* selected(element, selector, Infinity)).map((node) => element.other(node));
}

function* first(element: HtmlElement, selector: string): Steps {
  const [node] = yield* selected(element, selector, 1);
  return node === undefined ? null : element.other(node);
}

/** The text as a reader sees it: white space in a row counts as one blank. */
function* text(element: HtmlElement): Steps {
  return (yield* loaded().textBelow(element.node)).replace(/[ \t\n\r\f]+/g, ' ').trim();
}

function* written(element: HtmlElement, isWhole: boolean): Steps {
  return yield* loaded().htmlOf(element.node, isWhole);
}

// prettier-ignore
const ROWS: Row[] = [
  ['css', 'selector: String', 'Vector', 'The elements inside that a CSS selector matches, in the order of the page.', (vm: NativeContext, element: HtmlElement, selector: string) => vm.inPieces('css', all(element, selector))],
  ['at', 'selector: String', 'HtmlElement?', 'The first element inside that a CSS selector matches, or nil.', (vm: NativeContext, element: HtmlElement, selector: string) => vm.inPieces('css', first(element, selector))],
  ['text', '', 'String', 'The text inside, without scripts and styles; white space in a row is one blank.', (vm: NativeContext, element: HtmlElement) => vm.inPieces('text', text(element))],
  ['[]', 'name: String', 'String?', 'The value of an attribute; nil if the element does not have it.', (_: unknown, { attributes }: HtmlElement, name: string): Value => Object.hasOwn(attributes, name.toLowerCase()) ? attributes[name.toLowerCase()] : null],
  ['attributes', '', 'Hash', 'All attributes.', (_: unknown, { attributes }: HtmlElement) => Hash.from(Object.entries(attributes))],
  ['name', '', 'String', 'The name of the element in lower case; empty for the whole page.', (_: unknown, { name }: HtmlElement) => name],
  ['html', '', 'String', 'The element as HTML.', (vm: NativeContext, element: HtmlElement) => vm.inPieces('html', written(element, true))],
  ['inner_html', '', 'String', 'What is inside of the element, as HTML.', (vm: NativeContext, element: HtmlElement) => vm.inPieces('html', written(element, false))],
];

/** Methods of HtmlElement. */
export const htmlMethods = methodsOf('HtmlElement', ROWS);
for (const fn of htmlMethods) ELEMENT.methods.set(fn.name, fn);
