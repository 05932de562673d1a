import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import oniguruma from 'vscode-oniguruma';
import textmate, { type IGrammar, type IRawGrammar, type StateStack } from 'vscode-textmate';

const WASM = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');

/** A part of a line, with the scopes from the outermost to the innermost. */
export interface Part {
  start: number;
  end: number;
  scopes: string[];
}

/** Loads a grammar as VS Code does, with those that it includes. */
export async function loadGrammar(scopeName: string, grammars: readonly object[]): Promise<IGrammar> {
  await oniguruma.loadWASM((await readFile(WASM)).buffer);
  const known = new Map(grammars.map((grammar) => [(grammar as IRawGrammar).scopeName, grammar as IRawGrammar]));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => known.get(name) ?? null,
  });
  const grammar = await registry.loadGrammar(scopeName);
  if (grammar === null) throw new Error(`no grammar ${scopeName}`);
  return grammar;
}

/** The parts of a text, with offsets in it. */
export function partsOf(grammar: IGrammar, text: string): Part[] {
  const parts: Part[] = [];
  let stack: StateStack = textmate.INITIAL;
  let at = 0;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line.replace(/\r$/, ''), stack);
    for (const { startIndex, endIndex, scopes } of tokens)
      parts.push({ start: at + startIndex, end: at + endIndex, scopes });
    stack = ruleStack;
    at += line.length + 1;
  }
  return parts;
}
