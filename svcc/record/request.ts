import { headerProblem } from '../../natives/http/headers.js';
import { LoadError } from '../loaderror.js';
import { mapBody, mapQuery } from './bodyfields.js';
import { type Body, type Fields, fieldOf, mapped, type Masked, type Recording } from './recording.js';

/** Values that the user supplies in place of recorded ones. */
export interface Supplied {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly fields: ReadonlyMap<string, string>;
}

/** Headers that belong to a connection, and so are set anew. */
const OF_CONNECTION =
  /^(connection|keep-alive|transfer-encoding|upgrade|expect|content-length|te|trailer|accept-encoding)$/i;

/** Reads the options `--header` and `--field`. @throws LoadError if one is malformed */
export function suppliedBy(headers: readonly string[] = [], fields: readonly string[] = []): Supplied {
  return {
    headers: headers.map((text) => {
      const [, name, value] = /^([^:]*):[ \t]*([^]*)$/.exec(text) ?? [];
      if (name === undefined) throw new LoadError(`svcc: --header must be 'Name: value', got '${text}'`);
      const problem = headerProblem(name, value);
      if (problem !== null) throw new LoadError(`svcc: --header: ${problem}`);
      return [name, value];
    }),
    fields: new Map(
      fields.map((text) => {
        const end = text.indexOf('=');
        if (end < 1) throw new LoadError(`svcc: --field must be 'name=value', got '${text}'`);
        return [text.slice(0, end), text.slice(end + 1)];
      }),
    ),
  };
}

function bytesOf(body: Body): Buffer {
  return Buffer.from(body.data, body.encoding);
}

/** Returns the masked values that the user has not supplied. */
export function stillMasked({ masked }: Recording, { headers, fields }: Supplied): Masked[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return masked.filter(({ kind, name }) => {
    if (kind === 'field') return !fields.has(name);
    return !names.has(kind === 'cookie' ? 'cookie' : name.toLowerCase());
  });
}

/** Returns the options with which the user can supply masked values. */
export function adviceFor(masked: readonly Masked[]): string {
  const cookies = masked.filter(({ kind }) => kind === 'cookie').map(({ name }) => `${name}=…`);
  const options = [
    ...masked.filter(({ kind }) => kind === 'header').map(({ name }) => `--header '${name}: …'`),
    ...(cookies.length === 0 ? [] : [`--header 'Cookie: ${cookies.join('; ')}'`]),
    ...masked.filter(({ kind }) => kind === 'field').map(({ name }) => `--field '${name}=…'`),
  ];
  return options.join(' ');
}

/** Makes the request of a recording and supplied values. Headers that are still masked are left out. */
export function requestOf(
  { request, masked }: Recording,
  { headers, fields }: Supplied,
): { method: string; path: string; search: string; fields: string[]; body: Buffer | null } {
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
  const secret = new Set(masked.filter(({ kind }) => kind === 'header').map(({ name }) => name.toLowerCase()));
  if (masked.some(({ kind }) => kind === 'cookie')) secret.add('cookie');
  const kept: Fields = mapped(request.fields, (name, value) => {
    const key = name.toLowerCase();
    return replaced.has(key) || secret.has(key) || OF_CONNECTION.test(name) ? null : value;
  });
  const value = (name: string): string | null => fields.get(name) ?? null;
  const mark = request.target.indexOf('?');
  const bytes = request.body === null ? null : bytesOf(request.body);
  return {
    method: request.method,
    path: mark < 0 ? request.target : request.target.slice(0, mark),
    search: mark < 0 ? '' : `?${mapQuery(request.target.slice(mark + 1), value)}`,
    fields: [...kept, ...headers.flat()],
    body: bytes === null ? null : mapBody(bytes, fieldOf(request.fields, 'content-type') ?? '', value),
  };
}
