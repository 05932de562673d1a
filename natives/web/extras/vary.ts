import type { Response } from '../response/response.js';

/** Says that a response depends on a request's header. Once: a program may give the same response object for many requests. */
export function vary(response: Response, name: string): void {
  const { fields } = response;
  const known = fields.some(
    (text, i) =>
      i % 2 === 0 &&
      text.toLowerCase() === 'vary' &&
      fields[i + 1].toLowerCase().split(/ *, */).includes(name.toLowerCase()),
  );
  if (!known) response.addField('Vary', name);
}
