import type { Response } from '../response/response.js';

/** Adds a request header's name to Vary. Only once: a program may return the same response object for many requests. */
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
