/** Templates of projects, with a line about each for `svcc new --help`. */
export const TEMPLATES = {
  basic: 'a page, a route that answers with JSON, a static file',
  api: 'a JSON API: checked requests, SQLite, tokens, documentation at /docs',
  pages: 'server-rendered pages: templates, a form, a list, sessions, SQLite',
  live: 'rooms over WebSockets, with their page',
};

export type Template = keyof typeof TEMPLATES;
