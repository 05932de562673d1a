/** Values in every place of a page: none can become markup, a program, or another value. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';
import t from 'tap';
import { svcc } from '../../svcc/svcc.js';

/** A template with the value `x`, and where a parser finds the value. */
interface Place {
  template: string;
  /** The value in the page, undefined if the page has another structure. */
  find(page: Page): string | undefined;
  /** What is found for a value; the value itself unless the place changes it. */
  expected?(value: string): string;
}

interface Element {
  name: string;
  attributes: Map<string, string>;
  text: string;
}

/** The elements of a page in order, with the text that is directly in them. */
class Page {
  readonly elements: Element[] = [];
  readonly comments: string[] = [];

  constructor(html: string) {
    this.add(parse(html) as unknown as Node);
  }

  private add(node: Node): void {
    for (const child of node.childNodes ?? []) {
      if (child.nodeName === '#comment') this.comments.push(child.data ?? '');
      if (child.tagName === undefined) continue;
      const texts = [...(child.childNodes ?? [])].filter(({ nodeName }) => nodeName === '#text');
      this.elements.push({
        name: child.tagName,
        attributes: new Map((child.attrs ?? []).map(({ name, value }) => [name, value])),
        text: texts.map(({ value }) => value ?? '').join(''),
      });
      this.add(child);
    }
  }

  get names(): string {
    return this.elements.map(({ name, attributes }) => `${name}(${[...attributes.keys()].join(',')})`).join(' ');
  }

  element(name: string): Element | undefined {
    return this.elements.find((element) => element.name === name);
  }
}

interface Node {
  nodeName: string;
  tagName?: string;
  value?: string;
  data?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
}

/** The value of the attribute of the first element with this name. */
const attribute =
  (element: string, name: string) =>
  (page: Page): string | undefined =>
    page.element(element)?.attributes.get(name);
const textOf =
  (element: string) =>
  (page: Page): string | undefined =>
    page.element(element)?.text;

/** The JSON in a script, as JavaScript reads it. */
const json =
  (code: (page: Page) => string | undefined) =>
  (page: Page): string | undefined => {
    const match = /^before\((.*)\)after$/s.exec(code(page) ?? '');
    return match === null ? undefined : (JSON.parse(match[1]) as string);
  };

const SAFE_SCHEMES = /^(?:https?|mailto|tel|sms|ftps?):/i;
const IGNORED = /[\u0000-\u0020]/g;

/** A URL as a browser reads it: refused, or without a scheme that could run a program. */
function asUrl(value: string): string {
  // Browsers do not follow what is no URL.
  if (value === 'about:invalid#refused' || !URL.canParse(value, 'http://svc.test/')) return 'harmless';
  const { protocol } = new URL(value, 'http://svc.test/');
  return SAFE_SCHEMES.test(protocol) ? 'harmless' : `runs ${protocol}`;
}
const urlIn =
  (find: (page: Page) => string | undefined) =>
  (page: Page): string | undefined => {
    const value = find(page);
    return value === undefined ? undefined : asUrl(value.replace(IGNORED, ''));
  };
const harmless = (): string => 'harmless';

/** The host of the URL in the attribute of the first element with this name. */
const hostIn =
  (element: string, name: string, url = (value: string): string => value) =>
  (page: Page): string | undefined => {
    const value = attribute(element, name)(page);
    return value === undefined ? undefined : new URL(url(value), 'http://svc.test/').host;
  };
const ownHost = (): string => 'svc.test';

const PLACES: Record<string, Place> = {
  text: { template: '<p><%= x %></p>', find: textOf('p') },
  'text beside text': { template: '<p>a<%= x %>b</p>', find: textOf('p'), expected: (x) => `a${x}b` },
  title: { template: '<title><%= x %></title>', find: textOf('title') },
  textarea: { template: '<textarea>.<%= x %></textarea>', find: textOf('textarea'), expected: (x) => `.${x}` },
  'double quotes': { template: '<p title="<%= x %>">t</p>', find: attribute('p', 'title') },
  'single quotes': { template: "<p title='<%= x %>'>t</p>", find: attribute('p', 'title') },
  'value of an input': { template: '<input name=n value="<%= x %>">', find: attribute('input', 'value') },
  'part of an attribute': {
    template: '<p class="a <%= x %> b">',
    find: attribute('p', 'class'),
    expected: (x) => `a ${x} b`,
  },
  'data attribute': { template: '<p data-x="<%= x %>">', find: attribute('p', 'data-x') },
  'after a blank': { template: '<p title = "<%= x %>" id=i>', find: attribute('p', 'title') },
  'upper case': { template: '<P TITLE="<%= x %>">', find: attribute('p', 'title') },
  comment: {
    template: '<!-- <%= x %> --><p>',
    find: (page) => (page.names.includes('p()') ? 'kept' : undefined),
    expected: () => 'kept',
  },
  href: { template: '<a href="<%= x %>">l</a>', find: urlIn(attribute('a', 'href')), expected: harmless },
  src: { template: '<img src="<%= x %>">', find: urlIn(attribute('img', 'src')), expected: harmless },
  action: { template: '<form action="<%= x %>"></form>', find: urlIn(attribute('form', 'action')), expected: harmless },
  formaction: {
    template: "<button formaction='<%= x %>'>b</button>",
    find: urlIn(attribute('button', 'formaction')),
    expected: harmless,
  },
  frame: { template: '<iframe src="<%= x %>"></iframe>', find: urlIn(attribute('iframe', 'src')), expected: harmless },
  'svg link': {
    template: '<svg><a xlink:href="<%= x %>">l</a></svg>',
    find: urlIn((page) => page.element('a')?.attributes.get('href') ?? page.element('a')?.attributes.get('xlink:href')),
    expected: harmless,
  },
  'second value of a URL': {
    template: '<a href="<%= "java" %><%= x %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'path of a URL': {
    template: '<a href="/a/<%= x %>">l</a>',
    find: (page) => pathOf(attribute('a', 'href')(page)),
    expected: (x) => wellFormed(x),
  },
  'query of a URL': {
    template: '<a href="/s?q=<%= x %>&b=1">l</a>',
    find: (page) => queryOf(attribute('a', 'href')(page)),
    expected: (x) => wellFormed(x),
  },
  ...Object.fromEntries(
    [
      '/<%= x %>',
      ' /<%= x %>',
      '/\n<%= x %>',
      '\\<%= x %>',
      '/<%= x %>/evil.example',
      '/<%= nil %>/<%= x %>',
      '/<%= nil %><%= x %>',
      '/<%= nil %><%= x %>/evil.example',
      '<%= nil %>/<%= x %>',
      '<%= nil %>/<%= nil %>/<%= x %>',
      '<%= nil %><%= x %>',
      '/<% if no %>a/<% end %><%= x %>',
      '/<% if no %>?a=<% end %><%= x %>/evil.example',
      '<% if no %>/a<% end %><%= x %>/<%= x %>',
      '<% if no %>/<% end %>/<%= x %>',
      '/<% for i in 1..2 %><%= nil %>/<% end %><%= x %>',
      '/<%= x %><% if yes %>/evil.example<% end %>',
    ].map((url): [string, Place] => [
      `host of ${url}`,
      { template: `<a href="${url}">l</a>`, find: hostIn('a', 'href'), expected: ownHost },
    ]),
  ),
  'host in a list of URLs': {
    template: '<img srcset="https://a.example/b 1x, /<%= x %> 2x">',
    find: hostIn('img', 'srcset', (list) => list.replace('https://a.example/b 1x, ', '').split(/[\s,]/)[0]),
    expected: ownHost,
  },
  'URLs of a list': {
    template: '<img srcset="https://a.example/<%= x %> 2x">',
    find: (page) => attribute('img', 'srcset')(page)?.split(',').length.toString(),
    expected: () => '1',
  },
  'host of a refresh': {
    template: '<meta http-equiv="refresh" content="5;url=/<%= x %>/evil.example">',
    find: hostIn('meta', 'content', (content) => content.slice('5;url='.length)),
    expected: ownHost,
  },
  srcset: {
    template: '<img srcset="<%= x %> 2x">',
    find: (page) =>
      (attribute('img', 'srcset')(page) ?? 'x:')
        .split(',')
        .every((part) => asUrl(part.trim().split(' ')[0]) === 'harmless')
        ? 'harmless'
        : undefined,
    expected: harmless,
  },
  refresh: {
    template: '<meta http-equiv="refresh" content="5;url=<%= x %>">',
    find: urlIn((page) => attribute('meta', 'content')(page)?.slice('5;url='.length)),
    expected: harmless,
  },
  script: { template: '<script>before(<%= json(x) %>)after</script>', find: json(textOf('script')) },
  'JSON in a script': {
    template: '<script type="application/json">before(<%= json(x) %>)after</script>',
    find: json(textOf('script')),
  },
  'handler of an event': {
    template: '<p onclick="before(<%= json(x) %>)after">',
    find: json(attribute('p', 'onclick')),
  },
  style: { template: '<style>before(<%= json(x) %>)after</style>', find: json(textOf('style')) },
  document: {
    template: '<iframe srcdoc="<%= x %>"></iframe>',
    find: (page) => textOf('body')(new Page(attribute('iframe', 'srcdoc')(page) ?? '')),
    expected: (x) => new Page(escaped(x)).element('body')?.text ?? '',
  },
  attributes: { template: '<p <%= attributes({title: x}) %>>', find: attribute('p', 'title') },
  'URL among attributes': {
    template: '<a <%= attributes({href: x}) %>>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'start of an attribute after a branch': {
    template: '<p title="<% if no %>b<% end %><%= x %>">',
    find: attribute('p', 'title'),
  },
  'branch in an attribute': {
    template: '<p title="<% if yes %>a <%= x %><% end %>">',
    find: attribute('p', 'title'),
    expected: (x) => `a ${x}`,
  },
  'branch in a tag': { template: '<p<% if yes %> title="<%= x %>"<% end %> id="i">', find: attribute('p', 'title') },
  'attribute after a branch in a tag': {
    template: '<p <% if yes %>hidden <% end %>title="<%= x %>">',
    find: attribute('p', 'title'),
  },
  'attributes in a loop': {
    template: '<p<% for i in 1..2 %> title="<%= x %>"<% end %>>',
    find: attribute('p', 'title'),
  },
  'loop in an attribute': {
    template: '<p title="<% for i in 1..2 %><%= x %> b<% end %>">',
    find: attribute('p', 'title'),
    expected: (x) => `${x} b${x} b`,
  },
  'URL after a branch without a URL': {
    template: '<a href="<% if no %>/a/<% end %><%= x %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'URL in a branch': {
    template: '<a href="<% if yes %><%= x %><% else %>/a<% end %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'URL after a branch with a URL': {
    template: '<a href="<% if yes %><%= "java" %><% end %><%= x %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'URL of a loop': {
    template: '<a href="<% for y in ["java", x] %><%= y %><% end %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'URL in a loop that ends early': {
    template: '<a href="<% for y in ["java", "a"] %><%= y %><% break if y == "java" %>/<% end %><%= x %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'query after a branch': {
    template: '<a href="/s<% if yes %>?q=<% end %><%= x %>&b=1">l</a>',
    find: (page) => queryOf(attribute('a', 'href')(page)),
    expected: (x) => wellFormed(x),
  },
  'attribute with a name of two branches': {
    template: '<a <% if yes %>href<% else %>src<% end %>="<%= x %>">l</a>',
    find: urlIn(attribute('a', 'href')),
    expected: harmless,
  },
  'refresh after a branch': {
    template: '<meta http-equiv="refresh" content="5;<% if yes %>url=<% end %><%= x %>">',
    find: urlIn((page) => attribute('meta', 'content')(page)?.slice('5;url='.length)),
    expected: harmless,
  },
  'handler of an event after a branch': {
    template: '<p onclick="<% if yes %>before(<% else %>(<% end %><%= json(x) %>)after">',
    find: json(attribute('p', 'onclick')),
  },
  'block of text': { template: '<%= wrap do %><p><%= x %></p><% end %>', find: textOf('p') },
  'content for a layout': {
    template: '<% content_for :a do %><p title="<%= x %>">t</p><% end %><%= content_for :a %>',
    find: attribute('p', 'title'),
  },
};

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function pathOf(href: string | undefined): string | undefined {
  const match = /^\/a\/([^?#]*)$/.exec(href ?? '');
  return match === null ? undefined : decodeURIComponent(match[1]);
}

function queryOf(href: string | undefined): string | undefined {
  const match = /^\/s\?q=([^&#]*)&b=1$/.exec(href ?? '');
  return match === null ? undefined : decodeURIComponent(match[1]);
}

/** Values that break out of places that do not escape them: OWASP's rules, the filter evasion list, mutations of places. */
const VALUES: string[] = [
  'plain',
  '',
  'a b',
  "<script>alert('x')</script>",
  '</script><script>alert(1)</script>',
  '</SCRIPT ><img src=x onerror=alert(1)>',
  '</title></textarea></style></iframe><b>',
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  '` onmouseover=alert(1)',
  '--><script>alert(1)</script><!--',
  '--!><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'blob:http://x/1',
  'script:alert(1)',
  ':alert(1)',
  '//evil.example/x',
  '/\\evil.example',
  '&lt;b&gt; &amp; &quot;',
  '");alert(1);("',
  "');alert(1);('",
  '\\"); alert(1); //',
  '\u2028alert(1)\u2029',
  '${alert(1)}',
  '{{constructor.constructor("alert(1)")()}}',
  '<!--<script>',
  ']]><b>',
  'a&b=c#d?e/f%2e%2e/../..',
  '%3Cscript%3E',
  'é\u00a0😀',
  'x'.repeat(300),
];

const SOURCE = `app = web_app()
app.templates("views")
def wrap(block) = block.()
values = json_parse(file_read("values.json"))
names = json_parse(file_read("names.json"))
puts json_encode(names.map { |name| values.map { |x| render_html(name, {x:, yes: true, no: false}) } })
`;

t.test('values are escaped by their place', async (t) => {
  const folder = t.testdir();
  mkdirSync(join(folder, 'views'));
  const places = Object.values(PLACES);
  const names = places.map(({ template }, i) => {
    writeFileSync(
      join(folder, 'views', `place${i}.html.erb`),
      `<!DOCTYPE html><html><head></head><body>${template}</body></html>`,
    );
    return `place${i}`;
  });
  writeFileSync(join(folder, 'values.json'), JSON.stringify(VALUES));
  writeFileSync(join(folder, 'names.json'), JSON.stringify(names));
  writeFileSync(join(folder, 'app.svc'), SOURCE);
  const { stdout, stderr } = await svcc(['run', '--no-cache', 'app.svc'], { cwd: folder });
  t.equal(stderr, '');
  const pages = JSON.parse(stdout) as string[][];
  let cases = 0;
  Object.entries(PLACES).forEach(([name, { find, expected = (x: string): string => x }], i) => {
    const structure = new Page(pages[i][0]).names;
    VALUES.forEach((value, j) => {
      const page = new Page(pages[i][j]);
      cases++;
      const shown = `value ${j} ${value.slice(0, 30).replace(/[^\w ()/:.-]/g, '_')}`;
      if (page.names !== structure && !name.includes('attributes'))
        t.fail(`${name}: ${shown} changed the page`, { page: pages[i][j] });
      else t.equal(find(page), expected(value.replaceAll('\r', '\n')), `${name}: ${shown}`);
    });
  });
  t.ok(cases >= 500, `${cases} cases`);
});
