/** Pages as trees, by `htmlparser2` and `css-select`. This file and the packages are loaded with the first page. */
import { compile } from 'css-select';
import type { AnyNode, Element, ParentNode } from 'domhandler';
import { DomHandler, Parser } from 'htmlparser2';

/** Characters parsed in one step, and elements tested in one step. */
const PIECE = 16 * 1024;
const TESTED = 500;

/** Work in steps, between which other threads run. */
type Work<T> = Generator<void, T, void>;

/** Passes a text on to a parser in pieces, each changed by `prepare`. */
function* parse(parser: Parser, text: string, prepare = (piece: string): string => piece): Work<void> {
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(prepare(text.slice(at, at + PIECE)));
    yield;
  }
  parser.end();
}

/** Parses a page; as browsers do, it accepts any text. */
export function* parsePage(text: string): Work<ParentNode> {
  const areas: Element[] = [];
  const handler = new DomHandler(null, null, (element) => {
    if (element.name === 'textarea') areas.push(element);
  });
  yield* parse(new Parser(handler), text);
  for (const { firstChild } of areas)
    if (firstChild?.type === 'text') firstChild.data = yield* decoded(firstChild.data);
  return handler.root;
}

/** The content of a `textarea` as browsers read it; the parser leaves its entities as they are. */
function* decoded(content: string): Work<string> {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) });
  yield* parse(parser, content.replace(/^\r?\n/, ''), (piece) => piece.replaceAll('<', '&lt;'));
  return text;
}

/** Nodes below `root`, in the order of the page. */
function* below(root: ParentNode): Generator<AnyNode, void, void> {
  let node: AnyNode | null = root.firstChild;
  while (node !== null) {
    yield node;
    const child: AnyNode | null = 'firstChild' in node ? node.firstChild : null;
    if (child !== null) {
      node = child;
      continue;
    }
    while (node !== null && node.next === null) node = node.parent === root ? null : node.parent;
    node = node === null ? null : node.next;
  }
}

/** The first `most` elements below `root` that a CSS selector matches. @throws Error for a malformed selector */
export function* selected(root: ParentNode, selector: string, most: number): Work<Element[]> {
  const matches = compile<AnyNode, Element>(selector, {}, [root]);
  const found: Element[] = [];
  let tested = 0;
  for (const node of below(root)) {
    if (++tested % TESTED === 0) yield;
    if (!isElement(node) || !matches(node)) continue;
    found.push(node);
    if (found.length === most) break;
  }
  return found;
}

function isElement(node: AnyNode): node is Element {
  return node.type === 'tag' || node.type === 'script' || node.type === 'style';
}

/** The texts below `root`, joined; those of scripts and styles are left out. */
export function* textBelow(root: ParentNode): Work<string> {
  let text = '';
  let visited = 0;
  for (const node of below(root)) {
    if (++visited % TESTED === 0) yield;
    if (node.type === 'text' && node.parent?.type !== 'script' && node.parent?.type !== 'style') text += node.data;
  }
  return text;
}

/** Elements without content and end tag. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, (c) => ESCAPES[c]);
}

/** What is written where a node begins: its text, or the start tag of an element. */
function opening(node: AnyNode): string {
  if (node.type === 'text') {
    const isRaw = node.parent?.type === 'script' || node.parent?.type === 'style';
    return isRaw ? node.data : escaped(node.data, /[&<>]/g);
  }
  if (node.type === 'comment') return `<!--${node.data}-->`;
  if (node.type === 'directive') return `<${node.data}>`;
  if (!isElement(node)) return '';
  const attributes = Object.entries(node.attribs).map(([name, value]) => ` ${name}="${escaped(value, /[&"]/g)}"`);
  return `<${node.name}${attributes.join('')}>`;
}

function closing(node: AnyNode): string {
  return isElement(node) && !VOID.has(node.name) ? `</${node.name}>` : '';
}

/** What is inside of `root` as HTML. */
function* contentOf(root: ParentNode): Work<string> {
  let html = '';
  let visited = 0;
  const open: AnyNode[] = [];
  for (const node of below(root)) {
    if (++visited % TESTED === 0) yield;
    while (open.length > 0 && open[open.length - 1] !== node.parent) html += closing(open.pop() as AnyNode);
    html += opening(node);
    open.push(node);
  }
  while (open.length > 0) html += closing(open.pop() as AnyNode);
  return html;
}

/** A node as HTML, with or without its own tags. */
export function* htmlOf(node: ParentNode, isWhole: boolean): Work<string> {
  const inside = yield* contentOf(node);
  return isWhole ? `${opening(node)}${inside}${closing(node)}` : inside;
}
