const MAX_LENGTH = 60;

/** The call `name` with its arguments in parentheses, so that a block after them belongs to it. */
export function callBeforeBlock(name: string, args: string): string {
  const text = args.trim();
  return `to give the block to \`${name}\`, write \`${name}(${text.length > MAX_LENGTH || text.includes('\n') ? '…' : text}) do\``;
}
