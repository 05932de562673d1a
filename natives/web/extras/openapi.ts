import { STATUS_CODES } from 'node:http';
import { Errors, fail } from '../../../vm/values/error.js';
import { Closure } from '../../../vm/values/function.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Steps } from '../../../vm/values/steps.js';
import { RecordType } from '../../../vm/values/structured.js';
import { kindName } from '../../../vm/values/types.js';
import type { Value } from '../../../vm/values/value.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import type { FieldType } from '../../core/fields/types.js';
import { encodeJson } from '../../core/json/encode.js';
import type { App } from '../app/app.js';
import type { Request } from '../request/request.js';
import { Response } from '../response/response.js';
import type { Route } from '../config/route.js';
import type { Declared } from '../validation/declared.js';
import { DistinctNames, plainJson, RawJson, type Schema, Schemas, schemaText } from '../validation/schema.js';
import { FORM_TYPE } from '../../http/mediatype.js';

/** What the document says of the application. */
export interface DocumentOptions {
  title: string;
  version: string;
  description: string;
  /** Security schemes by name. */
  security: Record<string, Schema>;
}

/** A document as JSON, in two parts: servers may stand between them. */
interface Document {
  head: string;
  rest: string;
}

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, object>;
}

interface PathItem {
  /** With the names of parameters of the first route. */
  path: string;
  /** By method in lower case. */
  operations: Partial<Record<string, Operation>>;
}

const NAMES = /\{([^}]+)\}/g;

/** How a query sends an object: `?filter[a]=1&filter[b]=2`. */
const DEEP_OBJECT = { style: 'deepObject', explode: true };

/** Whether the values of a type are objects in JSON, or nil. */
function isObject(type: FieldType): boolean {
  const others = type?.filter((one) => one.type !== 'Nil') ?? [];
  return others.length > 0 && others.every(({ type: one }) => one === 'Hash' || one instanceof RecordType);
}

/** The names of the parameters of a path in OpenAPI's form. */
function namesIn(path: string): string[] {
  return [...path.matchAll(NAMES)].map(([, name]) => name);
}

/** Converts `/notes/:id/*rest` to OpenAPI's form `/notes/{id}/{rest}`. */
function openPath(pattern: string): string {
  return pattern
    .replace(/:([\p{L}\p{M}\p{N}_]+)/gu, '{$1}')
    .replace(/\*([\p{L}\p{M}\p{N}_]*)/gu, (_all, name: string) => `{${name === '' ? 'splat' : name}}`);
}

/** The `##` comment lines directly above a line of a source, without their markers. */
function docAbove(lines: readonly string[], line: number): string {
  const out: string[] = [];
  for (let at = line - 2; at >= 0 && /^\s*##/.test(lines[at]); at--) out.unshift(lines[at].replace(/^\s*##\s?/, ''));
  return out.join('\n').trim();
}

const ERRORS_SCHEMA: Schema = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['at', 'message'],
        properties: {
          at: { type: 'string', description: 'JSON pointer to the value; empty for the whole body' },
          in: { type: 'string', enum: ['query', 'path'], description: 'missing for the body' },
          message: { type: 'string' },
        },
      },
    },
  },
};
const JSON_TYPE = 'application/json';
const FORMS = [FORM_TYPE, 'multipart/form-data'];

/** The members of an object as JSON, without its braces. */
function members(object: object): string {
  return schemaText(object).slice(1, -1);
}

/** The JSON text of an object with many members, in pieces. */
function* textOf(entries: readonly (readonly [string, object])[]): Generator<void, string, void> {
  const written: string[] = [];
  for (const [name, value] of entries) {
    written.push(`${JSON.stringify(name)}:${schemaText(value)}`);
    yield;
  }
  return `{${written.join(',')}}`;
}

/** Writes the document of an application. */
class Writer {
  private readonly schemas = new Schemas();
  private readonly ids = new DistinctNames();
  /** The name of the schema of errors; null if no operation has it. */
  private errors: string | null = null;
  /** Lines of sources, by their files. */
  private readonly sources = new Map<string, readonly string[]>();

  constructor(
    private readonly vm: NativeContext,
    private readonly app: App,
    private readonly options: DocumentOptions,
  ) {}

  *document(): Generator<void, Document, void> {
    const { title, version, description, security } = this.options;
    const items = new Map<string, PathItem>();
    for (const route of this.app.routes) {
      this.add(items, route);
      yield;
    }
    const paths = yield* textOf([...items.values()].map(({ path, operations }) => [path, operations]));
    const schemes = Object.keys(security);
    const schemas = Object.entries(this.schemas.components);
    if (this.errors !== null) schemas.push([this.errors, ERRORS_SCHEMA]);
    const components = {
      ...(schemas.length === 0 ? {} : { schemas: new RawJson(yield* textOf(schemas)) }),
      ...(schemes.length === 0 ? {} : { securitySchemes: security }),
    };
    const head = { openapi: '3.1.0', info: { title, version, ...(description === '' ? {} : { description }) } };
    const rest = {
      ...(Object.keys(components).length === 0 ? {} : { components }),
      // Any one of them is enough.
      ...(schemes.length === 0 ? {} : { security: schemes.map((name) => ({ [name]: [] })) }),
    };
    const parts = [`"paths":${paths}`, members(rest)];
    return { head: `{${members(head)}`, rest: `,${parts.filter((part) => part !== '').join(',')}}` };
  }

  /** Adds a route's operation to the item of its path. */
  private add(items: Map<string, PathItem>, route: Route): void {
    const path = openPath(route.pattern);
    // Paths may not differ in names of parameters alone.
    const key = path.replace(NAMES, '{}');
    let item = items.get(key);
    if (item === undefined) items.set(key, (item = { path, operations: {} }));
    const method = route.method.toLowerCase();
    // Of `/a/:id` and `/a/*rest`, which are one path in OpenAPI, the first answers requests for one segment.
    if (item.operations[method] === undefined || !route.pattern.includes('*'))
      item.operations[method] = this.operation(route, namesIn(item.path));
  }

  /** A route's documentation: its own, of its handler's `def`, or of the `##` lines above its registration. */
  private docOf({ handler, place, declared }: Route): string {
    if (declared !== undefined && declared.doc !== '') return declared.doc;
    if (handler instanceof Closure && handler.fn.doc !== '') return handler.fn.doc;
    return place === null ? '' : docAbove(this.linesOf(place.file), place.line);
  }

  private linesOf(file: string): readonly string[] {
    let lines = this.sources.get(file);
    if (lines === undefined) this.sources.set(file, (lines = this.vm.sourceText(file)?.split('\n') ?? []));
    return lines;
  }

  /** @param names the names of the path's parameters in the document */
  private operation(route: Route, names: readonly string[]): Operation {
    const { declared, method } = route;
    const [summary, ...rest] = this.docOf(route).split('\n');
    const made: Operation = { operationId: this.id(route), responses: this.responses(declared) };
    const description = rest.join('\n').trim();
    if (summary !== '') made.summary = summary;
    if (description !== '') made.description = description;
    if (declared !== undefined && declared.tags.length > 0) made.tags = declared.tags;
    const parameters = this.parameters(route, names);
    if (parameters.length > 0) made.parameters = parameters;
    if (declared !== undefined && declared.body !== null) made.requestBody = this.body(declared);
    else if (declared === undefined && ['POST', 'PUT', 'PATCH'].includes(method))
      made.requestBody = { content: { [JSON_TYPE]: { schema: {} } } };
    return made;
  }

  /** `get_notes_id`: a name for generated clients. */
  private id({ method, pattern }: Route): string {
    const words = pattern.match(/[\p{L}\p{N}_]+/gu) ?? ['root'];
    return this.ids.of([method.toLowerCase(), ...words].join('_'));
  }

  private parameters({ pattern, declared }: Route, names: readonly string[]): object[] {
    const own = namesIn(openPath(pattern));
    const fields = (type: Declared['query']): ReturnType<Schemas['fields']> =>
      type === null ? [] : this.schemas.fields(type.type);
    const typed = new Map(fields(declared?.params ?? null).map(({ name, schema }) => [name, schema]));
    return [
      ...names.map((name, i) => ({
        name,
        in: 'path',
        required: true,
        schema: typed.get(own[i]) ?? { type: 'string' },
      })),
      ...fields(declared?.query ?? null).map(({ name, required, type, schema }) => ({
        name,
        in: 'query',
        required,
        ...(isObject(type) ? DEEP_OBJECT : {}),
        schema,
      })),
    ];
  }

  private body({ body, example }: Declared): object {
    if (body === null) return {};
    const shown = example === null ? {} : { example: new RawJson(encodeJson(example)) };
    const content: Record<string, object> = {};
    if (body.json) content[JSON_TYPE] = { schema: this.schemas.of(body.type), ...shown };
    if (body.forms) for (const type of FORMS) content[type] = { schema: this.schemas.ofForm(body.type), ...shown };
    const isOptional = body.type?.some((one) => one.type === 'Nil') === true;
    return { required: !isOptional, content };
  }

  private responses(declared: Declared | undefined): Record<string, object> {
    const out: Record<string, object> = {};
    for (const [status, type] of declared?.returns ?? []) out[status] = this.response(status, type);
    if (declared !== undefined && declared.options.size > 0) {
      const statuses = [...(declared.body === null ? [] : [400, 415]), ...(declared.runsWithErrors ? [] : [422])];
      for (const status of statuses) out[status] ??= this.errorResponse(status);
    }
    if (declared === undefined || declared.returns.size === 0) out.default = { description: 'The response' };
    return out;
  }

  private response(status: number, type: FieldType): object {
    const description = STATUS_CODES[status] ?? 'The response';
    if (type !== null && type.every((one) => one.type === 'Nil')) return { description };
    // A String is sent as plain text, all others as JSON.
    const media = type?.every((one) => one.type === 'String') === true ? 'text/plain' : JSON_TYPE;
    return { description, content: { [media]: { schema: this.schemas.of(type) } } };
  }

  private errorResponse(status: number): object {
    this.errors ??= this.schemas.nameOf('ValidationErrors');
    const schema = { $ref: `#/components/schemas/${this.errors}` };
    return { description: STATUS_CODES[status] as string, content: { [JSON_TYPE]: { schema } } };
  }
}

const SCHEMES: Record<string, Schema> = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
};
const SCHEME_TYPES = new Set(['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect']);

/** Security schemes from `{token: "bearer", key: {type: "apiKey", in: "header", name: "X-Key"}}`. @throws ValueError */
export function securityOf(value: Value): Record<string, Schema> {
  if (value === null) return {};
  if (!(value instanceof Hash))
    return fail(Errors.TypeError, `SvcApp.openapi(): security must be a Hash, got ${kindName(value)}`);
  return Object.fromEntries(
    value.entries().map(([name, scheme]) => {
      const made =
        typeof scheme === 'string' ? SCHEMES[scheme] : scheme instanceof Hash ? plainJson(scheme) : undefined;
      if (made === undefined || !SCHEME_TYPES.has((made as Schema).type as string))
        fail(
          Errors.ValueError,
          `SvcApp.openapi(): the security scheme '${String(name)}' must be "bearer", "basic" or a Hash with a type of OpenAPI, such as {type: "apiKey", in: "header", name: "X-Key"}`,
        );
      return [String(name), made as Schema];
    }),
  );
}

/** The characters that the path of a URL may contain as they are, without the braces of variables. */
const NO_PATH_CHARACTER = /[^\w.~!$&'()*+,;=:@%/-]/gu;

/**
 * The part of a request's path that stands for the prefix below which an application is mounted, with the values of the
 * prefix's parameters; empty if the application is not mounted.
 * @param own the pattern of the request's route in that application
 */
function prefixOf({ route, parts: { path } }: Request, own: string): string {
  const segments = (pattern: string): number => pattern.split('/').length - 1;
  const whole = route?.pattern ?? own;
  if (whole === own) return '';
  // The route `/` of a mounted application is the prefix itself.
  const length = own === '/' ? segments(whole) : segments(whole) - segments(own);
  const prefix = path
    .split('/')
    .slice(0, length + 1)
    .join('/')
    .replace(NO_PATH_CHARACTER, (character) =>
      Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
    );
  // `//name` would be a host.
  return prefix.replace(/^\/(?=\/)/, '/./');
}

/**
 * Answers the pattern `own` with the OpenAPI 3.1 document of an application's routes, written in pieces when it is asked
 * for first. If the application is mounted, the document names its prefix as the server.
 */
export function openApiDocument(
  vm: NativeContext,
  app: App,
  own: string,
  options: DocumentOptions,
): (vm: NativeContext, request: Request) => Value | undefined {
  let known: { document: Document; routes: number } | null = null;
  const response = ({ head, rest }: Document, prefix: string): Response => {
    const servers = prefix === '' ? '' : `,"servers":${JSON.stringify([{ url: prefix }])}`;
    return new Response(200, head + servers + rest, 'application/json; charset=utf-8');
  };
  function* written(prefix: string): Steps {
    const routes = app.routes.length;
    const document = yield* new Writer(vm, app, options).document();
    known = { document, routes };
    return response(document, prefix);
  }
  return (_vm, request) => {
    const prefix = prefixOf(request, own);
    return known?.routes === app.routes.length
      ? response(known.document, prefix)
      : vm.inPieces('openapi', written(prefix));
  };
}
