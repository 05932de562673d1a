import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type CompileEnvironment, compile, renderDiagnostic } from '../../compiler/index.js';
import { mask, MARKUP } from '../../compiler/templates/mask.js';
import { libraryNames } from '../../svcc/library.js';

// UPDATE_GOLDEN=1 accepts new messages; read the diff.
const update = process.env['UPDATE_GOLDEN'] !== undefined;
const GOLDEN = join(import.meta.dirname, 'fixtures/templates.golden');
const PROGRAM = 'app = web_app()\napp.templates("views")\ndef shout(x) = x.upcase\nlimit = 3\n';

function environment(templates: Record<string, string>): CompileEnvironment {
  return {
    natives: libraryNames(),
    builtinModules: new Set(),
    load: () => null,
    templates: () => Object.entries(templates).map(([name, text]) => ({ name, path: `views/${name}.html.erb`, text })),
  };
}

function messages(templates: Record<string, string>, program = PROGRAM): string[] {
  const { diagnostics, texts } = compile('app.svc', program, environment(templates));
  return diagnostics.map((d) => `${renderDiagnostic(d, texts.get(d.file) ?? '')}\n  [${d.code}]`);
}

/** Templates with mistakes. */
const MISTAKES: string[] = [
  '<p>\n<%= x </p>\n',
  'a <% if x\n',
  '<% if x %>a',
  '<% end %>',
  '<% else %>',
  '<% xs.each do |x| %><li><% end %></ul><% end %>',
  '<%= x; y %>',
  '<%= if x %>a<% end %>',
  '<%= x = 1 %>',
  '<%= %>',
  '<p><%= x.upcase( %></p>',
  '<<%= x %>>',
  '<p <%= x %>>',
  '<p <%= x %>="1">',
  '</<%= x %>>',
  '</p <%= x %>>',
  '<p title=<%= x %>>',
  '<p title=a<%= x %>>',
  '<script>f(<%= x %>)</script>',
  '<script>f("<%= json(x) %>")</script>',
  '<script>f(`${<%= json(x) %>}`)</script>',
  '<script>// <%= json(x) %>\n</script>',
  '<script>a = /x<%= json(x) %>/</script>',
  '<script>a = b / <%= json(x) %> / 2; /* <%= json(x) %> */</script>',
  '<p onclick="f(<%= x %>)">',
  '<p onclick="f(\'<%= json(x) %>\')">',
  '<p onclick="f(&quot;<%= json(x) %>&quot;)">',
  '<p style="color: <%= x %>">',
  '<style>p { color: <%= x %> }</style>',
  '<style>p { content: "<%= json(x) %>" }</style>',
  '<iframe><%= x %></iframe>',
  '<xmp><%= x %></xmp>',
  '<!DOCTYPE <%= x %>>',
  '<a href="<%= x %>:alert(1)">',
  '<% if x %><b title="<% end %>',
  '<% if x %><b title="<% else %><b class="<% end %>a">',
  '<% case x %><% when 1 %><b <% else %><b><% end %>',
  '<% xs.each do |x| %><i title="<% end %>',
  '<% for x in xs %><script><% end %>',
  '<% for x in xs %><p title="<% next if x %>"><% end %>',
  '<% begin %><b "<% rescue %><b><% end %>',
  '<p title="',
  '<script>x',
  '<textarea>',
  '<!-- a',
  '<%= wrap do %><p title="<% end %>',
  '<p title="<%= wrap do %>a<% end %>">',
  '<%= render("nope") %>',
  '<%= render("mistke") %>',
  '<% content_for :a do %><b title="<% end %>',
  '<% return x %>',
  '<p title="<% return %>">',
  '<% def f(a) %><b><%= a %></b><% end %>',
  '<% def twice(y) = y * 2 %><%= twice(2) %>',
  '<% record P(a: Int) do\n  def b() = a\nend %>',
  '<% use "jwt" %>',
  '<% x ||= "default" %><%= x %>',
  '<% shout ||= "default" %><%= shout %>',
  '<% x = x || "default" %><%= x %>',
  '<% enum A(B) %>',
  '<div data-x="<%= json(x) %>">',
  '<p><%= json(x) %></p>',
  '<p title="<%= attributes({a: x}) %>">',
  '<p><%= (1 + %></p>\n<%= (2 + %>\n',
  '<p><% f(1 %></p><% f(1 %>',
  '<p<% if x %> class<% end %>="a">',
  '<p <% if x %>hidden<% end %>class="a">',
  '<p <% if x %>hidden <% end %>="a">',
  '<p <% if x %>href<% else %>title<% end %>="<%= x %>">',
  '<p<% if x %> a<% end %><%= attributes({b: x}) %>>',
  '<p <% for x in xs %>a<% end %>>',
  '<p <% if x %>a="1"<% else %>a="<% end %>>',
  '<script>a = <% if x %>"<% else %>\'<% end %>b";</script>',
  '<a href="<% if x %><%= x %><% end %>:alert(1)">',
  '<a href="<%= x %><% if x %>:alert(1)<% end %>">',
  '<a href="<% for x in xs %><%= x %><% end %>a:alert(1)">',
  '<%= shout post["title"] do %>in<% end %>',
];

t.test('messages for mistakes', async (t) => {
  const found = MISTAKES.map((text) => {
    const given = messages({ mistake: text });
    if (given.length === 0) t.fail(`nothing is said of ${text}`);
    return `${text.trimEnd()}\n\n${given.join('\n')}\n`;
  }).join('\n----\n');
  if (update) writeFileSync(GOLDEN, found);
  t.equal(found, existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8') : '');
});

t.test('templates without mistakes', async (t) => {
  const good = [
    '',
    'text only',
    '\n',
    '<%# a comment %>',
    '<% # a comment %>',
    '<%%',
    '<%= x -%>\n',
    '<%- if x -%>\na\n<%- end -%>\n',
    '<% if x %><p title="a"><% else %><p><% end %></p>',
    '<p title="<% if x %>a<% else %>b<% end %>">',
    '<p class="a <%= "b" if x %>">',
    '<% xs.each do |y| %><%= y %><% next if y == 1 %><% end %>',
    '<% for y in xs %><% break if y %><% end %>',
    '<% case x %>\n<% when 1 %>a<% when 2 %>b<% else %>c<% end %>',
    '<% case x %><% in {a:} %><%= a %><% in _ %>b<% end %>',
    '<% while x < 3 %><% x += 1 %><% end %>',
    '<% begin %>a<% rescue ValueError => e %><%= e.message %><% ensure %>c<% end %>',
    '<%= xs.map { |y| y + 1 }.join(", ") %>',
    '<%= xs.map do |y| %><li><%= y %></li><% end %>',
    '<%= shout("a") %> <%= limit %>',
    '<%= x if x %> <%= x ? 1 : 2 %> <%= (1) + 2 %> <%= not x %> <%= {a: 1}.to_json %>',
    '<script>f(<%= json(x) %>, /[/"]/, a / b, "c")</script>',
    '<script>if (x) /re/.test("y"); return /a"/; f(<%= json(x) %>)</script>',
    '<p onclick="f(<%= json({a: x}) %>, \'b\')">',
    '<p <%= attributes({a: x}) %> id=a>',
    "<p title = '<%= x %>'  id=a/>",
    '<p class="<% if x %>b<% end %>">',
    '<option<% if x %> selected<% end %>>a</option>',
    '<% x = locals["x"] || "default" %><% x ||= 1 %><%= x %>',
    '<% for y in xs %><% seen ||= {} %><% seen[y] = 1 %><% end %>',
    '<option <% if x %>selected<% end %>>a</option>',
    '<option <% if x %>selected <% end %>value="<%= x %>">a</option>',
    '<tr<% if x %> class="odd"<% end %>>',
    '<tr<% if x %> class="odd"<% end %> id="<%= x %>">',
    '<input<% if x %> value=a<% end %>/>',
    '<a href="/a<% if x %>?b=1<% end %>">',
    '<a href="<% if x %>https://a.test/<% end %><%= x %>">',
    '<a href="<% if x %><%= x %><% else %>/a<% end %>/b">',
    '<a <% if x %>href<% else %>src<% end %>="<%= x %>">',
    '<p data-<% if x %>a<% else %>b<% end %>="<%= x %>">',
    '<input value="<% if x %>1<% end %>">',
    '<p class="<% for i in xs %> b<%= i %><% end %>">',
    '<a href="/<% for i in xs %><%= i %>/<% next if i == 1 %><% break if i == 2 %>?<% end %><%= x %>">',
    '<p<% xs.each do |y| %> <%= attributes(y) %><% end %>>',
    '<p<% for y in xs %> data-a<% end %> hidden <%= attributes({a: x}) %>>',
    '<p<% for y in xs %><% for z in xs %> class="<% for a in xs %><%= a %> <% end %>"<% end %><% end %>>',
    '<p onclick="<% if x %>f(<%= json(x) %>);<% end %>g()">',
    '<meta name="description" content="<% if x %>our <% end %><%= x %>">',
    '<p<% case x %><% when 1 %> a<% else %> b="c"<% end %>>',
    '<p<% begin %> a<% rescue %> b<% end %>>',
    'a < b <%= x %> && c > d',
    '<br/><%= x %><hr />',
    '<!-- <%= x %> -->',
    '<% x = 1 %><% y = x + 1 %><%= y %>',
    '<%= yield %><%= yield :a %><%= content_for(:b) if content_for?(:b) %>',
    '<% content_for :a do %>a<% end %>',
    '<%= render "good", {x: 1, xs: []} %>',
    '<%= locals[:x] %>',
    '<%=x%><%=x%>',
    'a<% return if x %>b',
    'a\r\n<% if x %>\r\nb\r\n<% end %>\r\n',
  ];
  for (const text of good) t.strictSame(messages({ good: text }), [], JSON.stringify(text));
});

t.test('a masked template is as long as the template, and its lines are the same', async (t) => {
  for (const text of [
    ...MISTAKES,
    'a\n<%= x\n %>\n b <%# c\n %>\n',
    '<% a %>',
    '\n\n<%\n%>\n',
    '<%%= a %>b',
    'é😀<%= x %>',
  ]) {
    const { text: masked, markups } = mask(text);
    t.equal(masked.length, text.length, JSON.stringify(text));
    const names = markups.filter(({ at }) => masked[at] === MARKUP);
    t.equal(names.length, markups.length);
    const lines = (all: string): number[] => [...all.matchAll(/\n/g)].map(({ index }) => index);
    const lost = lines(text).filter((at) => !lines(masked).includes(at));
    t.ok(lost.length === 0 || (lost.length === 1 && lost[0] === markups.at(-1)?.at));
  }
});

t.test('what names stand for', async (t) => {
  const said = (text: string, program?: string): string[] =>
    messages({ a: text }, program).map((m) => m.split('\n')[0]);
  t.strictSame(said('<%= json(x) %>', `${PROGRAM}def json(a) = a\n`), []);
  t.strictSame(said('<%= render("x") %>', `${PROGRAM}def render(a) = a\n`), []);
  t.strictSame(said('<%= x %>', 'app = web_app()\napp.templates("views")\nprivate def x() = 1\n'), []);
});
