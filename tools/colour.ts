import { type BundledTheme } from 'shiki';
import { createHighlighterCore, type LanguageRegistration } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { TEMPLATE } from './textmate/embedded.js';
import { SVC } from './textmate/svc.js';

/** Themes whose colours differ enough from their background for small text. */
export const THEMES = { light: 'github-light-default', dark: 'github-dark-default' } satisfies Record<
  string,
  BundledTheme
>;

/** Languages of code in documentation, by the name after the fence. Pages that GitHub shows call Svc `ruby`, which it colours. */
const LANGUAGES: Readonly<Record<string, string>> = {
  svc: 'svc',
  ruby: 'svc',
  erb: 'svc-template',
  css: 'css',
  dockerfile: 'docker',
  html: 'html',
  http: 'http',
  ini: 'ini',
  js: 'javascript',
  json: 'json',
  lua: 'lua',
  nginx: 'nginx',
  sh: 'shellscript',
  sql: 'sql',
  text: 'text',
  toml: 'toml',
};

/** Colours code. */
export interface Colours {
  /**
   * A `<pre>` with the code, whose colours are those of the light theme; the variables `--shiki-dark` hold those of the dark one.
   * @throws Error if the language is not known
   */
  html(code: string, language: string): string;
}

/** Loads the grammars. They need no WebAssembly, so that the same function works in a browser. */
export async function loadColours(): Promise<Colours> {
  const highlighter = await createHighlighterCore({
    engine: createJavaScriptRegexEngine(),
    themes: [import('shiki/themes/github-light-default.mjs'), import('shiki/themes/github-dark-default.mjs')],
    langs: [
      import('shiki/langs/html.mjs'),
      import('shiki/langs/css.mjs'),
      import('shiki/langs/docker.mjs'),
      import('shiki/langs/http.mjs'),
      import('shiki/langs/ini.mjs'),
      import('shiki/langs/javascript.mjs'),
      import('shiki/langs/json.mjs'),
      import('shiki/langs/lua.mjs'),
      import('shiki/langs/nginx.mjs'),
      import('shiki/langs/shellscript.mjs'),
      import('shiki/langs/sql.mjs'),
      import('shiki/langs/toml.mjs'),
      { ...SVC, name: 'svc' } as unknown as LanguageRegistration,
      { ...TEMPLATE, name: 'svc-template', embeddedLangs: ['html', 'svc'] } as unknown as LanguageRegistration,
    ],
  });
  return {
    html: (code, language) => {
      const lang = LANGUAGES[language];
      if (lang === undefined) throw new Error(`no colours for the language '${language}': add it to tools/colour.ts`);
      return highlighter.codeToHtml(code, { lang, themes: THEMES });
    },
  };
}
