import { createHash } from 'node:crypto';

/** Styles shared by the pages that Svc makes for developers: colours for light and dark mode, fonts, tables. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1c2430; --soft: #5b6675; --line: #d5dae1; --accent: #8c1d2b; --match: #b400b4 }
@media (prefers-color-scheme: dark) { :root { --back: #14181e; --card: #1d232b; --text: #e4e8ee; --soft: #9aa6b5; --line: #36404c; --accent: #ff9aa8; --match: #ff7bff } }
* { box-sizing: border-box }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0; color: var(--text); background: var(--back) }
header, main { padding: .8rem 1.2rem; max-width: 110rem; margin: 0 auto } main { padding-top: 0 }
h1 { font-size: 1.2rem; margin: 0; overflow-wrap: anywhere } h2 { font-size: 1rem; margin: 1.4rem 0 .4rem }
header p { margin: .1rem 0 0; color: var(--soft) }
select, input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .6rem; max-width: 100%; min-width: 0 }
button { cursor: pointer } button:disabled { opacity: .5; cursor: default }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.soft { color: var(--soft) } .tables { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem } th, td { text-align: left; padding: .15rem .9rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
`;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A Content-Security-Policy for a page with one script and one style. @param others further directives, each with its `;` */
export function pagePolicy(script: string, style: string, others = ''): string {
  return `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; ${others}base-uri 'none'; form-action 'none'`;
}
