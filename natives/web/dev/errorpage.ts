import type { ErrorValue, TraceLine } from '../../../vm/values/error.js';
import { inspect } from '../../../vm/values/text/text.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { Request } from '../request/request.js';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1c2430; background: #f6f7f9 }
header { background: #8c1d2b; color: #fff; padding: 1.2rem 2rem }
h1 { font-size: 1.3rem; margin: 0; overflow-wrap: anywhere } header p { margin: .2rem 0 0; opacity: .85 }
main { padding: 1rem 2rem; max-width: 70rem } h2 { font-size: 1rem; margin: 1.6rem 0 .4rem }
pre { background: #fff; border: 1px solid #dde1e7; border-radius: 6px; padding: .7rem 1rem; overflow-x: auto; margin: .3rem 0 1rem }
mark { background: #ffe2e5; display: block; margin: 0 -1rem; padding: 0 1rem } .n { color: #9aa4b2 }
table { border-collapse: collapse } td { padding: .1rem 1.5rem .1rem 0; vertical-align: top; font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere }
`;

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function page(title: string, subtitle: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(subtitle)}</p></header><main>${body}</main></body></html>\n`;
}

/** The source lines around `line`, with that line marked. */
function frame(text: string, line: number): string {
  const lines = text.split('\n');
  const first = Math.max(1, line - 4);
  const shown = lines.slice(first - 1, line + 3).map((source, i) => {
    const n = first + i;
    const html = `<span class="n">${String(n).padStart(4)} </span>${escapeHtml(source)}`;
    return n === line ? `<mark>${html}</mark>` : `${html}\n`;
  });
  return `<pre>${shown.join('')}</pre>`;
}

function traceHtml(vm: NativeContext, { file, line, name }: TraceLine): string {
  const text = vm.sourceText(file);
  return `<div>${escapeHtml(`${file}:${line} in ${name}`)}${text === null ? '' : frame(text, line)}</div>`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  return `<table>${rows.map(([name, value]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`).join('')}</table>`;
}

/** Keys of the session cookie; values are omitted because they may be private. */
function sessionKeys(request: Request): string {
  try {
    const cookie = request.cookies.get('_svc_session');
    return typeof cookie === 'string' ? Object.keys(JSON.parse(cookie) as object).join(', ') : '';
  } catch {
    return '';
  }
}

/** The development page for an error in a handler: message, source, backtrace, request. */
export function errorPage(vm: NativeContext, error: ErrorValue, request: Request): string {
  const { parts } = request;
  const causes: string[] = [];
  for (let cause = error.cause; cause !== null && causes.length < 10; cause = cause.cause)
    causes.push(`<p>caused by ${escapeHtml(`${cause.type.name}: ${cause.message}`)}</p>`);
  const headers = request.headers.entries().map(([name, value]) => [String(name), String(value)] as const);
  const session = sessionKeys(request);
  return page(
    `${error.type.name}: ${error.message}`,
    `${parts.method} ${parts.path}`,
    `${causes.join('')}
<h2>Backtrace</h2>${(error.trace ?? []).map((line) => traceHtml(vm, line)).join('')}
<h2>Request</h2>${table([
      ['method', parts.method],
      ['path', parts.path],
      ['query', inspect(request.query)],
      ['params', inspect(request.params)],
      ['id', parts.id],
      ['session keys', session === '' ? 'none' : session],
    ])}
<h2>Headers</h2>${table(headers)}`,
  );
}

/** The development page for a program that does not compile or start: the messages as shown in the terminal. */
export function problemPage(title: string, text: string): string {
  return page(title, 'the previous version keeps running', `<pre>${escapeHtml(text)}</pre>`);
}
