import { Closure } from '../../../vm/values/function.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import { Response } from '../response/response.js';
import type { Route } from '../config/route.js';

interface Operation {
  summary?: string;
  description?: string;
  parameters?: object[];
  requestBody?: object;
  responses: object;
}

/** Converts `/notes/:id/*rest` to OpenAPI's form `/notes/{id}/{rest}`. */
function openPath(pattern: string): string {
  return pattern
    .replace(/:(\w+)/g, '{$1}')
    .replace(/\*(\w*)/g, (_all, name: string) => `{${name === '' ? 'splat' : name}}`);
}

/** The `##` comment lines directly above a line of a source text, without their markers. */
function docAbove(text: string, line: number): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = line - 2; at >= 0 && /^\s*##/.test(lines[at]); at--) out.unshift(lines[at].replace(/^\s*##\s?/, ''));
  return out.join('\n').trim();
}

/** A route's documentation: from its handler's `def`, or from the `##` lines above its registration. */
function docOf(vm: NativeContext, { handler, place }: Route): string {
  if (handler instanceof Closure && handler.fn.doc !== '') return handler.fn.doc;
  const text = place === null ? null : vm.sourceText(place.file);
  return text === null || place === null ? '' : docAbove(text, place.line);
}

function operation(vm: NativeContext, route: Route): Operation {
  const [summary, ...rest] = docOf(vm, route).split('\n');
  const names = [...openPath(route.pattern).matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const made: Operation = { responses: { default: { description: 'The response' } } };
  if (summary !== '') made.summary = summary;
  if (rest.length > 0) made.description = rest.join('\n').trim();
  if (names.length > 0)
    made.parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (['POST', 'PUT', 'PATCH'].includes(route.method))
    made.requestBody = { content: { 'application/json': { schema: {} } } };
  return made;
}

/** The OpenAPI 3.1 document of an application's routes. */
export function openApiDocument(vm: NativeContext, app: App, title: string, version: string): Response {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of app.routes)
    (paths[openPath(route.pattern)] ??= {})[route.method.toLowerCase()] = operation(vm, route);
  return new Response(
    200,
    JSON.stringify({ openapi: '3.1.0', info: { title, version }, paths }),
    'application/json; charset=utf-8',
  );
}
