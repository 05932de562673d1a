/** In place of a file: the program is read from standard input. */
export const STANDARD_INPUT = '-';
