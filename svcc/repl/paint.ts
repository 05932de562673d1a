/** Functions that colour text for a terminal. */
export interface Paint {
  plain(text: string): string;
  number(text: string): string;
  text(text: string): string;
  constant(text: string): string;
  keyword(text: string): string;
  comment(text: string): string;
  error(text: string): string;
  dim(text: string): string;
}

const ansi =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

const COLOURED: Paint = {
  plain,
  number: ansi(36),
  text: ansi(32),
  constant: ansi(35),
  keyword: ansi(34),
  comment: ansi(90),
  error: ansi(31),
  dim: ansi(90),
};

const PLAIN: Paint = {
  plain,
  number: plain,
  text: plain,
  constant: plain,
  keyword: plain,
  comment: plain,
  error: plain,
  dim: plain,
};

/** The colours of a terminal: none if there is none, or if the environment forbids them. */
export function paintFor(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
  const isPlain = !isTerminal || (NO_COLOR !== undefined && NO_COLOR !== '') || TERM === 'dumb';
  return isPlain ? PLAIN : COLOURED;
}

/** Whether a paint colours. */
export function isColoured(paint: Paint): boolean {
  return paint === COLOURED;
}
