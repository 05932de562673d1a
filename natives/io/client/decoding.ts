/** Content codings of responses. */
import { Readable, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** Pieces of a body. */
export type Chunks = AsyncGenerator<Uint8Array, void, void>;

/** Maximum number of codings on one response: each one costs memory. */
const MAX_CODINGS = 5;

/** Decoders by coding; the first byte of a body decides between the two forms that servers send as `deflate`. */
const DECODERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: (first) => ((first & 15) === 8 ? createInflate() : createInflateRaw()),
};

/** Codings that `decoded` undoes, as a value of Accept-Encoding. */
export const ACCEPTED = 'gzip, deflate, br';

/** A body that is not what its Content-Encoding says. */
export class BadCoding extends Error {}

/** The pieces of a body without its codings. An unknown coding is left as it is. */
export function decoded(body: Readable, header: string): Chunks {
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) throw new BadCoding(`the response has ${codings.length} codings`);
  const known = codings.every((coding) => Object.hasOwn(DECODERS, coding));
  return codings.reduceRight((chunks, coding) => (known ? undone(coding, chunks) : chunks), chunksOf(body));
}

async function* chunksOf(body: Readable): Chunks {
  for await (const chunk of body) yield chunk as Uint8Array;
}

async function* undone(coding: string, source: Chunks): Chunks {
  let first = await source.next();
  while (first.done !== true && first.value.length === 0) first = await source.next();
  // An empty body has no coding.
  if (first.done === true) return;
  const start = first.value;
  const decoder = DECODERS[coding](start[0]);
  // Errors reach the loop below.
  pipeline(Readable.from(startingWith(start, source)), decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isBad =
      code?.startsWith('Z_') === true ||
      code?.startsWith('ERR_BROTLI') === true ||
      code?.startsWith('ERR__ERROR_') === true;
    throw isBad ? new BadCoding(`the body of the response is not valid ${coding}`) : error;
  }
}

async function* startingWith(first: Uint8Array, rest: Chunks): Chunks {
  yield first;
  yield* rest;
}
