import { type Grammar, scopes } from './grammar.js';

const TAG = scopes('punctuation.section.embedded.svc');

/** Templates, files that end in `.html.erb`: HTML with Svc in tags, which compiler/templates/mask.ts reads. */
export const TEMPLATE: Grammar = {
  name: 'Svc template',
  scopeName: 'text.html.svc',
  fileTypes: ['html.erb'],
  // Before all other rules, so that tags are found in values of attributes and in scripts, too.
  injections: {
    'L:text.html.svc - meta.embedded.block.svc - comment.block.svc': {
      patterns: [
        { name: 'constant.character.escape.svc', match: '<%%' },
        {
          // The grammar of HTML takes `<tr<%` for a name.
          match: String.raw`(<)([A-Za-z][\w:-]*)(?=<%)`,
          captures: scopes(null, 'punctuation.definition.tag.begin.html', 'entity.name.tag.html'),
        },
        { name: 'comment.block.svc', begin: String.raw`<%(?:==|[-=])?\s*#`, end: '%>' },
        {
          name: 'meta.embedded.block.svc',
          contentName: 'source.svc',
          begin: '<%(?:==|=|-(?!%>))?',
          beginCaptures: TAG,
          end: '-?%>',
          endCaptures: TAG,
          patterns: [
            // A comment ends with its tag.
            { name: 'comment.line.number-sign.svc', match: '#.*?(?=-?%>)' },
            { include: 'source.svc' },
          ],
        },
      ],
    },
  },
  patterns: [{ include: 'text.html.basic' }],
};

/** Code fences of Markdown: ```` ```svc ````. */
export const MARKDOWN: Grammar = {
  name: 'Svc in Markdown',
  scopeName: 'markdown.svc.codeblock',
  injectionSelector: 'L:text.html.markdown',
  patterns: [
    {
      name: 'markup.fenced_code.block.markdown',
      begin: '(^|\\G)(\\s*)(`{3,}|~{3,})\\s*(?i:(svc)((?:\\s+|[:,{?])[^`]*)?$)',
      beginCaptures: scopes(
        null,
        null,
        null,
        'punctuation.definition.markdown',
        'fenced_code.block.language.markdown',
        'fenced_code.block.language.attributes.markdown',
      ),
      end: '(^|\\G)(\\2|\\s{0,3})(\\3)\\s*$',
      endCaptures: scopes(null, null, null, 'punctuation.definition.markdown'),
      patterns: [
        {
          contentName: 'meta.embedded.block.svc',
          begin: '(^|\\G)(\\s*)(.*)',
          while: '(^|\\G)(?!\\s*([`~]{3,})\\s*$)',
          patterns: [{ include: 'source.svc' }],
        },
      ],
    },
  ],
};
