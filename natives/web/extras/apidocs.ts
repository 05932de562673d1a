import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { App } from '../app/app.js';
import { addEndpoint, checkPagePath, pagePath } from '../app/endpoint.js';
import { contentTypeOf } from '../files/mediatypes.js';
import { fileResponse } from '../files/send.js';
import { fileAt } from '../files/source.js';
import type { Request } from '../request/request.js';
import { HTML, Response } from '../response/response.js';
import { openApiDocument } from './openapi.js';

/** Files of the package swagger-ui-dist. `tools/build.ts` copies them into this folder of the bundle. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const FOLDER = 'api-docs';
/** Seconds that clients keep the files, which change with svcc only. */
const CACHE_CONTROL = 'private, max-age=3600';

/** The page loads nothing from other hosts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** The folder of the files: beside the bundle, or in the packages of the sources. */
function folder(): string {
  const here = import.meta.url;
  if (here.startsWith('file:')) return join(dirname(fileURLToPath(here)), '../../../node_modules/swagger-ui-dist');
  // In the bundle this is the path of a chunk, in the folder of the program or in one below it.
  const folders = [join(dirname(here), FOLDER), join(dirname(dirname(here)), FOLDER)];
  return folders.find((path) => existsSync(path)) ?? folders[1];
}

/** The address of `target` as seen from the page at `path`, so that proxies may serve both under a prefix. */
function relative(path: string, target: string): string {
  return '../'.repeat(path.split('/').length - 2) + target.slice(1) || './';
}

function page(path: string): string {
  const base = path === '/' ? '' : relative(path, `${path}/`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="stylesheet" href="${base}swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}start.js"></script>
</body>
</html>
`;
}

function startScript(url: string): string {
  // Without a validator the page asks no other host.
  return `SwaggerUIBundle(${JSON.stringify({ url, dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null })});\n`;
}

/**
 * Answers `path` with a page that shows the OpenAPI document at `document`, and paths below it with the page's files. If
 * the application has no such document, the page has one of its own.
 */
export function addApiDocs(vm: NativeContext, app: App, path: string, document: string): void {
  const place = vm.position();
  checkPagePath('api_docs', 'path', path, '/docs');
  checkPagePath('api_docs', 'openapi', document, '/docs');
  const { base, pattern: own } = pagePath(path);
  const add = (pattern: string, answer: (vm: NativeContext, request: Request) => Value | undefined): void => {
    addEndpoint(vm, app, { pattern, place, answer });
  };
  const inPage = `${base}/openapi-of-page.json`;
  const options = { title: 'API', version: '1.0.0', description: '', security: {} };
  add(own, () => {
    const response = new Response(200, page(own), HTML);
    response.addField('Content-Security-Policy', POLICY);
    return response;
  });
  add(`${base}/start.js`, () => {
    const hasDocument = [...app.endpoints, ...app.routes].some(({ pattern }) => pattern === document);
    const url = relative(own, hasDocument ? document : inPage);
    return new Response(200, startScript(url), 'text/javascript; charset=utf-8');
  });
  add(inPage, openApiDocument(vm, app, inPage, options));
  for (const name of FILES) add(`${base}/${name}`, (running) => sendAsset(running, name));
}

function sendAsset(vm: NativeContext, name: string): undefined {
  const announcement = { type: contentTypeOf(name), cacheControl: CACHE_CONTROL };
  return vm.waitForPromise(
    'file',
    fileAt(vm, join(folder(), name), announcement).then((file) => fileResponse(vm, file)),
  );
}
