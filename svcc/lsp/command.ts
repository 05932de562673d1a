import type { Command } from 'commander';

/** Defines `svcc lsp`; its code is loaded when it runs. */
export function addLsp(program: Command): void {
  program
    .command('lsp')
    .description('serve an editor by the Language Server Protocol, over standard input and output')
    .option('--stdio', 'what editors pass; there is no other way')
    .action(async () => {
      (await import('./lsp.js')).serveEditor();
    });
}
