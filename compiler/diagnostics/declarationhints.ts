/** Hints for declarations of other languages, which are found at several stages of the compiler. */

/** `Dog < Animal`, `Dog extends Animal` and `Dog(Animal)`. */
const CLASS_HEAD = /^\s*(?<name>[A-Z]\w*)\s*(?:(?:<|extends\b|\(|:)\s*(?<parent>[A-Z][\w.:]*))?/;

/** What to write instead of a class whose name and parent `head` holds. */
export function recordFor(head: string): string {
  const { name = 'Name', parent } = CLASS_HEAD.exec(head)?.groups ?? {};
  if (parent !== undefined && /(?:Error|Exception)$/.test(parent)) return `write \`error ${name} < ${parent}\``;
  const record = `write \`record ${name}(field, other) do\`, its methods, \`end\``;
  return parent === undefined ? record : `${record}; records have no parents`;
}

/** What to write instead of `module Name`. */
export function fileFor(head: string): string {
  const name = /\w+/.exec(head)?.[0].toLowerCase() ?? 'name';
  return `put its functions in a file \`${name}.svc\`, write \`import "${name}"\`, and call \`${name}.f(…)\``;
}

/** What to write instead of `function name(params) {`. */
export function defFor(name: string, params: string | undefined): string {
  const plain = params !== undefined && /^[\w\s,]*$/.test(params) ? params.trim() : '…';
  return `write \`def ${name}(${plain})\`, the body on the next lines, and \`end\``;
}

/** What to write instead of a function that yields values to its caller. */
export function generatorFor(name: string): string {
  return `call a block for each value: \`def ${name}(block) block.(1) end\`, used as \`${name} { |x| puts x }\``;
}
