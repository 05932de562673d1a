/** What the values of HTML's attributes are (HTML Standard, "Attributes"). */
export type AttributeKind = 'plain' | 'url' | 'urls' | 'script' | 'style' | 'html' | 'refresh';

const URLS: ReadonlySet<string> = new Set(
  'action archive background cite classid codebase data formaction href icon longdesc manifest ping poster profile src usemap'.split(
    ' ',
  ),
);
const SETS: ReadonlySet<string> = new Set(['srcset', 'imagesrcset']);

/** What an attribute holds. A prefix such as that of `xlink:href` does not matter. */
export function attributeKind(element: string, name: string): AttributeKind {
  const local = name.slice(name.indexOf(':') + 1);
  if (local.startsWith('data-')) return /src|ur[il]|href/.test(local) ? 'url' : 'plain';
  if (local.startsWith('on')) return 'script';
  if (local === 'style') return 'style';
  if (local === 'srcdoc') return 'html';
  if (local === 'content' && element === 'meta') return 'refresh';
  if (SETS.has(local)) return 'urls';
  return URLS.has(local) ? 'url' : 'plain';
}
