import { type Grammar, include, type Rule, scopes } from './grammar.js';

// The TextMate grammar of Svc. It follows compiler/lexer.ts and compiler/layout/, and test/editors/agreement.unit.ts
// compares it with them. A grammar sees one line at a time and knows no variables, so it tells a division from a regex
// by the blanks around it where the compiler knows more.

/** A word without its `?` or `!`. */
const WORD = String.raw`[\p{L}_]\w*`;
/** The `?` or `!` that belongs to a word. */
const MARK = String.raw`(?:\?(?!=[^=~>])|!(?!=))?`;
/** What follows a whole word. */
const WHOLE = String.raw`(?!\w|\?(?!=[^=~>])|!(?!=))`;
const NAME = `${WORD}${MARK}`;
const TYPE = String.raw`\p{Lu}\w*`;

/** Keywords after which a value begins, so `/` opens a regex. */
const CONTROL =
  'if unless elsif else while until for in case when then do begin rescue ensure end return break next raise retry'.split(
    ' ',
  );
const LOGICAL = ['and', 'or', 'not'];
const CONSTANTS = ['true', 'false', 'nil'];
const BEFORE_VALUE = [...CONTROL, ...LOGICAL, 'await', 'is'].filter((word) => word !== 'end' && word !== 'retry');
/** Words that declare something where a name follows, and are names elsewhere. */
const DECLARING =
  'def record enum interface error require import stitch use export const private needs await html'.split(' ');
/** Words that follow a value. */
const AFTER_VALUE = 'and or if unless while until do then in is rescue end'.split(' ');
/** Functions that nearly all programs use. */
const COMMON = ['puts', 'print', 'p', 'pp', 'warn', 'format', 'sleep', 'spawn', 'timeout', 'loop', 'exit'];

const words = (list: readonly string[]): string => `(?:${list.join('|')})${WHOLE}`;

const escapes: Rule = {
  patterns: [
    {
      name: 'constant.character.escape.svc',
      match: String.raw`\\(?:u\{\h{1,6}\}|u\h{4}|x\h{2}|[ntr0e\\"'#]|$)`,
    },
    { match: String.raw`\\.` },
  ],
};

const interpolation: Rule = {
  name: 'meta.embedded.line.svc',
  begin: String.raw`#\{`,
  beginCaptures: scopes('punctuation.section.embedded.begin.svc'),
  end: String.raw`\}`,
  endCaptures: scopes('punctuation.section.embedded.end.svc'),
  patterns: include('braces', 'code'),
};

/** A `{ … }` within an interpolation, whose `}` does not end it. */
const braces: Rule = {
  begin: String.raw`\{`,
  beginCaptures: scopes('punctuation.section.braces.begin.svc'),
  end: String.raw`\}`,
  endCaptures: scopes('punctuation.section.braces.end.svc'),
  patterns: include('parametersOfBlock', 'braces', 'code'),
};

const BEGIN_STRING = scopes('punctuation.definition.string.begin.svc');
const END_STRING = scopes('punctuation.definition.string.end.svc');

/** A string between two quotes. */
const quoted = (name: string, begin: string, end: string, ...inside: string[]): Rule => ({
  name,
  begin,
  beginCaptures: BEGIN_STRING,
  end,
  endCaptures: END_STRING,
  patterns: include(...inside),
});

const strings: Rule = {
  patterns: [
    {
      ...quoted('string.quoted.triple.html.svc', `(?<!\\w)(html)(""")`, '"""', 'escapes', 'interpolation', 'markup'),
      beginCaptures: scopes(null, 'storage.type.string.svc', 'punctuation.definition.string.begin.svc'),
    },
    {
      ...quoted('string.quoted.double.html.svc', `(?<!\\w)(html)(")`, '"', 'escapes', 'interpolation', 'markup'),
      beginCaptures: scopes(null, 'storage.type.string.svc', 'punctuation.definition.string.begin.svc'),
    },
    quoted('string.quoted.triple.double.svc', '"""', '"""', 'escapes', 'interpolation'),
    quoted('string.quoted.triple.single.svc', "'''", "'''", 'escapesOfSingle'),
    quoted('string.quoted.double.svc', '"', '"', 'escapes', 'interpolation'),
    quoted('string.quoted.single.svc', "'", "'", 'escapesOfSingle'),
    quoted(
      'constant.other.symbol.quoted.svc string.quoted.double.svc',
      '(?<![\\w:]):"',
      '"',
      'escapes',
      'interpolation',
    ),
  ],
};

const escapesOfSingle: Rule = {
  patterns: [{ name: 'constant.character.escape.svc', match: String.raw`\\[\\']` }, { match: String.raw`\\.` }],
};

/** Tags of `html"…"`; values of attributes may be in single quotes or in escaped double ones. */
const markup: Rule = {
  patterns: [
    { name: 'comment.block.html.svc', match: '<!--(?:(?!-->|#\\{|").)*(?:-->)?' },
    {
      match: String.raw`(</?)([a-zA-Z][\w:-]*)`,
      captures: scopes(null, 'punctuation.definition.tag.html', 'entity.name.tag.html'),
    },
    {
      match: String.raw`(?<=\s)([a-zA-Z_:@][\w:.-]*)(=)(?=['\\])`,
      captures: scopes(null, 'entity.other.attribute-name.html', 'punctuation.separator.key-value.html'),
    },
    { name: 'constant.character.entity.html', match: String.raw`&(?:\w+|#\d+|#x\h+);` },
    { name: 'punctuation.definition.tag.html', match: '/?>' },
  ],
};

const OPENER = String.raw`<<[~-]?`;
/** Where a heredoc may begin: after a value, `<<` is an operator. */
const BEGINS_HEREDOC = String.raw`(?<![\w)\]}"'])`;
const OPENER_SCOPES = scopes('string.unquoted.heredoc.opener.svc punctuation.definition.string.begin.svc');
const CLOSER_SCOPES = scopes(null, 'string.unquoted.heredoc.closer.svc punctuation.definition.string.end.svc');

/** The text of a heredoc: whole lines. */
const textOfHeredoc = (quote: string): Rule => ({
  name: 'string.unquoted.heredoc.svc',
  begin: '^',
  end: '$',
  patterns: quote === "'" ? [] : include('escapes', 'interpolation'),
});

/** A line that contains only the name that `begin` has found. */
const closer = (indent: string): string => String.raw`^${indent}(\1)(?=[ \t]*\r?$)`;

/** A heredoc: `quote` is the quote around its name; the closer of `<<NAME` is not indented. */
const heredoc = (opener: string, quote: string, indent: string): Rule => ({
  begin: `${BEGINS_HEREDOC}(?=${opener}${quote}([A-Za-z_]\\w*)${quote})`,
  end: closer(indent),
  endCaptures: CLOSER_SCOPES,
  patterns: [
    { begin: String.raw`\G${opener}["']?\w+["']?`, beginCaptures: OPENER_SCOPES, end: '$', patterns: include('code') },
    textOfHeredoc(quote),
  ],
});

/** Two heredocs that begin on one line: the text of the first comes first. */
const twoHeredocs = (first: string, second: string): Rule => ({
  begin: String.raw`${BEGINS_HEREDOC}(?=${OPENER}${first}[A-Z_]\w*${first}(?:[^"'#]|"[^"]*"|'[^']*')*?${BEGINS_HEREDOC}${OPENER}${second}([A-Z_]\w*)${second})`,
  end: closer(String.raw`[ \t]*`),
  endCaptures: CLOSER_SCOPES,
  patterns: [
    {
      begin: String.raw`\G${OPENER}["']?(\w+)["']?`,
      beginCaptures: OPENER_SCOPES,
      end: closer(String.raw`[ \t]*`),
      endCaptures: CLOSER_SCOPES,
      patterns: [
        { begin: String.raw`\G`, end: '$', patterns: include('openerOfHeredoc', 'code') },
        textOfHeredoc(first),
      ],
    },
    textOfHeredoc(second),
  ],
});

const QUOTES = ["'", '"?'];

const heredocs: Rule = {
  patterns: [
    ...QUOTES.flatMap((first) => QUOTES.map((second) => twoHeredocs(first, second))),
    ...QUOTES.map((quote) => heredoc('<<[~-]', quote, String.raw`[ \t]*`)),
    ...QUOTES.map((quote) => heredoc('<<', quote, '')),
  ],
};

const VALUE_ENDS = String.raw`(?<=[\w)\]}"']|\w[?!])(?<!${BEFORE_VALUE.map((word) => `\\b${word}`).join('|')})`;

/** A division after a value. A word, a blank and `/x/` are a call with a regex. */
const division: Rule = {
  patterns: [
    {
      match: String.raw`${VALUE_ENDS}(?:[ \t]+(?=//|/[\s=]|/[^/]*$)|(?<=[\d)\]}"'])[ \t]+)?(//?=?)`,
      captures: scopes(null, 'keyword.operator.arithmetic.svc'),
    },
  ],
};

const regexes: Rule = {
  patterns: [
    {
      ...quoted('string.regexp.svc', '/(?=.*/)', '(/)([imsx]*)|$', 'regex'),
      endCaptures: scopes(null, 'punctuation.definition.string.end.svc', 'keyword.other.flags.regexp.svc'),
    },
    {
      ...quoted(
        'string.regexp.extended.svc',
        String.raw`/(?!.*/)(?=\s|$|.*\s#)`,
        '(/)([imsx]*)',
        'commentOfRegex',
        'regex',
      ),
      endCaptures: scopes(null, 'punctuation.definition.string.end.svc', 'keyword.other.flags.regexp.svc'),
    },
  ],
};

const regex: Rule = {
  patterns: [
    ...include('interpolation'),
    {
      name: 'constant.other.character-class.set.regexp.svc',
      match: String.raw`\[(?:[^\]\\#]|\\.|#(?!\{))*\]`,
    },
    { name: 'constant.character.escape.regexp.svc', match: String.raw`\\(?:[pP]\{[^}]*\}|k<\w+>|.)` },
    { name: 'keyword.operator.quantifier.regexp.svc', match: String.raw`[?*+]\??|\{\d*,?\d*\}\??` },
    { name: 'keyword.control.anchor.regexp.svc', match: String.raw`[\^$]` },
    { name: 'keyword.operator.or.regexp.svc', match: String.raw`\|` },
    {
      match: String.raw`\((?:\?(?:[:=!]|<[=!]|[imsx]*(?:-[imsx]+)?[:)]|<(\w+)>))?`,
      captures: scopes('punctuation.definition.group.regexp.svc', 'entity.name.group.regexp.svc'),
    },
  ],
};

/** Names of operators that a record can define. */
const OPERATOR_NAME = String.raw`\*\*|//|<=>|[=<>]=|<<|>>|\[\]=?|-@|[-+*/%<>&|^~](?!=)`;
const DEF = String.raw`(?<!\w)(?:(private)[ \t]+)?(def)${WHOLE}`;
const DEF_SCOPES = ['storage.modifier.svc', 'storage.type.function.svc', 'entity.name.function.svc'];

/** Parameters between parentheses. */
const parameters = (begin: string, ...before: string[]): Rule => ({
  name: 'meta.function.parameters.svc',
  begin: `${begin}(\\()`,
  beginCaptures: scopes(null, ...before, 'punctuation.section.svc'),
  end: String.raw`\)`,
  endCaptures: scopes('punctuation.section.svc'),
  patterns: include('fields'),
});

const declarations: Rule = {
  patterns: [
    parameters(String.raw`${DEF}[ \t]+(${OPERATOR_NAME}|${NAME})[ \t]*`, ...DEF_SCOPES),
    {
      match: String.raw`${DEF}(?:[ \t]+(${OPERATOR_NAME}|${NAME}))?`,
      captures: scopes(null, ...DEF_SCOPES),
    },
    parameters('(->)[ \\t]*', 'storage.type.function.arrow.svc'),
    {
      name: 'meta.record.svc',
      begin: String.raw`(?<![\w.])(record)[ \t]+(${WORD})[ \t]*(\()`,
      beginCaptures: scopes(null, 'storage.type.record.svc', 'entity.name.type.record.svc', 'punctuation.section.svc'),
      end: String.raw`\)`,
      endCaptures: scopes('punctuation.section.svc'),
      patterns: include('fields'),
    },
    {
      name: 'meta.enum.svc',
      begin: String.raw`(?<![\w.])(enum)[ \t]+(${WORD})[ \t]*(\()`,
      beginCaptures: scopes(null, 'storage.type.enum.svc', 'entity.name.type.enum.svc', 'punctuation.section.svc'),
      end: String.raw`\)`,
      endCaptures: scopes('punctuation.section.svc'),
      patterns: include('members'),
    },
    {
      match: String.raw`(?<![\w.])(interface)[ \t]+(${TYPE})(?=[ \t]*(?:[;#\r]|$))`,
      captures: scopes(null, 'storage.type.interface.svc', 'entity.name.type.interface.svc'),
    },
    {
      match: String.raw`(?<![\w.])(error)[ \t]+(${TYPE})(?=[ \t]*(?:[<;#\r]|$))`,
      captures: scopes(null, 'storage.type.error.svc', 'entity.name.type.error.svc'),
    },
    {
      match: String.raw`(?<![\w.])(require|import|stitch|use)(?=[ \t]+["'])`,
      captures: scopes(null, 'keyword.control.import.svc'),
    },
    {
      match: String.raw`(?<=["'])[ \t]+(as)(?=[ \t]+${WORD}[ \t]*(?:[;#\r]|$))`,
      captures: scopes(null, 'keyword.control.import.svc'),
    },
    {
      match: String.raw`(?<![\w.])(export)(?=[ \t]+[A-Za-z_]\w*[ \t]*(?:[,;#\r]|$))`,
      captures: scopes(null, 'keyword.control.export.svc'),
    },
    { match: String.raw`(?<![\w.])(const)(?=[ \t]+${WORD})`, captures: scopes(null, 'storage.modifier.const.svc') },
    { match: String.raw`^[ \t]*(needs)(?=[ \t]+${WORD})`, captures: scopes(null, 'storage.modifier.needs.svc') },
    {
      match: String.raw`(?<=[\w)\]}"'?!])[ \t]+(is)(?=[ \t]+(?:[a-z_]\w*\.)*[A-Z])`,
      captures: scopes(null, 'keyword.operator.word.svc'),
    },
    {
      match: String.raw`(?<![\w.])(loop)(?=[ \t]+:${WORD}[ \t]+do${WHOLE})`,
      captures: scopes(null, 'keyword.control.svc'),
    },
    {
      match: String.raw`(?<!\w)(await)(?=[ \t]+(?!(?:and|or|if|unless|while|until|do|end|then|in)${WHOLE})[\w"'(\[{:]|[ \t]+->)`,
      captures: scopes(null, 'keyword.control.svc'),
    },
  ],
};

/** Parameters, and fields of a record, which may be keywords: `record Node(value, next)`. */
const fields: Rule = {
  patterns: [
    { include: '#comment' },
    {
      match: String.raw`(?:(?<=[(,])|^)[ \t]*(\*{0,2})([\p{Ll}_]\w*${MARK})(?:(:)(?!:)|(?=[ \t]*(?:[,:=)]|$)))`,
      captures: scopes(
        null,
        'keyword.operator.splat.svc',
        'variable.parameter.svc',
        'punctuation.separator.annotation.svc',
      ),
    },
    { begin: String.raw`[(\[{]`, end: String.raw`[)\]}]`, patterns: include('braces', 'nested', 'code') },
    { include: '#code' },
  ],
};

/** Brackets within brackets. */
const nested: Rule = {
  begin: String.raw`[(\[]`,
  end: String.raw`[)\]]`,
  patterns: include('braces', 'nested', 'code'),
};

const members: Rule = {
  patterns: [
    { include: '#comment' },
    {
      begin: String.raw`(${WORD})(\()`,
      beginCaptures: scopes(null, 'entity.name.type.record.svc', 'punctuation.section.svc'),
      end: String.raw`\)`,
      endCaptures: scopes('punctuation.section.svc'),
      patterns: include('fields'),
    },
    {
      name: 'variable.other.enummember.svc',
      match: `(?<=[(,])[ \\t]*${WORD}(?=[ \\t]*[,)])|^[ \\t]*${WORD}(?=[ \\t]*[,)])`,
    },
    { include: '#code' },
  ],
};

/** `|a, (b, c), d = 1|` after `{` or `do`. */
const parametersOfBlock: Rule = {
  begin: String.raw`(?:(?<=\{)|(?<=\bdo))[ \t]*(\|)(?!\|)(?=[^|]*\|)`,
  beginCaptures: scopes(null, 'punctuation.separator.parameters.svc'),
  end: String.raw`\|`,
  endCaptures: scopes('punctuation.separator.parameters.svc'),
  patterns: [
    {
      match: String.raw`(?:(?<=[|(,*])|\G)[ \t]*(\*{0,2})(${WORD})(?=[ \t]*[,:=)|])`,
      captures: scopes(null, 'keyword.operator.splat.svc', 'variable.parameter.svc'),
    },
    { include: '#code' },
  ],
};

const labels: Rule = {
  patterns: [
    {
      match: String.raw`(?<![\w.&])(?<!\? )(${NAME})(:)(?!:)`,
      captures: scopes(null, 'constant.other.symbol.hashkey.svc', 'punctuation.separator.key-value.svc'),
    },
    {
      name: 'constant.other.symbol.svc',
      match: String.raw`(?<![\w:)\]}"'])(:)${WORD}(?:[?!](?!=))?`,
      captures: { '1': { name: 'punctuation.definition.constant.svc' } },
    },
  ],
};

const keywords: Rule = {
  patterns: [
    {
      name: 'keyword.control.svc',
      match: String.raw`(?<!\w)${words(CONTROL)}`,
    },
    { name: 'keyword.operator.word.svc', match: String.raw`(?<!\w)${words(LOGICAL)}` },
    { name: 'constant.language.svc', match: String.raw`(?<!\w)${words(CONSTANTS)}` },
    {
      name: 'variable.language.svc',
      match: String.raw`(?<!\w)${words(['self', 'it', '_1', '_2'])}(?![ \t]*=(?![=~>]))`,
    },
  ],
};

/** A field or method after a dot, where keywords are names. */
const member: Rule = {
  patterns: [
    {
      match: String.raw`(?<!\.)(&?\.)(?!\.)[ \t]*(${NAME})(?=\()`,
      captures: scopes(null, 'punctuation.accessor.svc', 'entity.name.function.call.svc'),
    },
    {
      match: String.raw`(?<!\.)(&?\.)(?!\.)[ \t]*(?:(${TYPE})|(${NAME}))`,
      captures: scopes(null, 'punctuation.accessor.svc', 'entity.name.type.svc', 'variable.other.property.svc'),
    },
  ],
};

const names: Rule = {
  patterns: [
    { name: 'support.function.svc', match: String.raw`(?<!\w)${words(COMMON)}(?![ \t]*=(?![=~>]))` },
    { name: 'variable.other.constant.svc', match: String.raw`(?<!\w)\p{Lu}[\p{Lu}\d_]+${WHOLE}(?!\()` },
    { name: 'entity.name.type.svc', match: String.raw`(?<!\w)${TYPE}` },
    { name: 'entity.name.function.call.svc', match: String.raw`(?<!\w)${NAME}(?=\()` },
    {
      match: String.raw`^[ \t]*(?!${words([...CONTROL, ...LOGICAL, ...CONSTANTS, ...DECLARING, ...COMMON])})(${NAME})(?=[ \t]+["':\w\[{])(?![ \t]+${words(AFTER_VALUE)})`,
      captures: scopes(null, 'entity.name.function.call.svc'),
    },
    { name: 'variable.other.svc', match: String.raw`(?<!\w)${NAME}` },
  ],
};

const NUMBER = String.raw`(?<!\w)(?:0[xXbBoO]\w*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9][0-9_]*)?\w*)`;

const operators: Rule = {
  patterns: [
    { name: 'storage.type.function.arrow.svc', match: '->' },
    { name: 'keyword.operator.hashrocket.svc', match: '=>' },
    { name: 'keyword.operator.pipe.svc', match: String.raw`\|>` },
    { name: 'keyword.operator.comparison.svc', match: '<=>|==|!=|=~|!~|<=(?!>)|>=|<(?!<)|>(?!>)' },
    { name: 'keyword.operator.assignment.svc', match: String.raw`(?:\*\*|//|\|\||&&|<<|>>|[-+*/%|&^])=(?![=~>])|=` },
    { name: 'keyword.operator.logical.svc', match: String.raw`&&|\|\||!` },
    { name: 'keyword.operator.range.svc', match: String.raw`\.\.\.?` },
    { name: 'keyword.operator.arithmetic.svc', match: String.raw`\*\*|[-+*%]` },
    { name: 'keyword.operator.bitwise.svc', match: String.raw`<<|>>|[&|^~]` },
    { name: 'keyword.operator.ternary.svc', match: '[?:]' },
    { name: 'punctuation.separator.svc', match: '[,;]' },
    { name: 'punctuation.section.svc', match: String.raw`[()\[\]{}]` },
  ],
};

/** The grammar of programs. */
export const SVC: Grammar = {
  name: 'Svc',
  scopeName: 'source.svc',
  fileTypes: ['svc'],
  firstLineMatch: String.raw`^#!.*\bsvcc\b`,
  patterns: include('code'),
  repository: {
    code: {
      patterns: include(
        'comment',
        'division',
        'heredocs',
        'strings',
        'words',
        'labels',
        'declarations',
        'member',
        'keywords',
        'parametersOfBlock',
        'regexes',
        'numbers',
        'names',
        'operators',
      ),
    },
    comment: {
      patterns: [
        {
          name: 'comment.line.documentation.svc',
          match: '(##)(?!#).*$',
          captures: scopes(null, 'punctuation.definition.comment.svc'),
        },
        {
          name: 'comment.line.number-sign.svc',
          match: '(#).*$',
          captures: scopes(null, 'punctuation.definition.comment.svc'),
        },
      ],
    },
    commentOfRegex: { name: 'comment.line.number-sign.regexp.svc', match: String.raw`#(?!\{)(?:(?!#\{).)*` },
    words: {
      patterns: [String.raw`\[ \]`, String.raw`\( \)`, String.raw`\{ \}`].map((pair) => ({
        ...quoted('string.other.words.svc', `(?<![\\w)\\]}"'])%w${pair.split(' ')[0]}`, pair.split(' ')[1]),
      })),
    },
    numbers: { name: 'constant.numeric.svc', match: NUMBER },
    openerOfHeredoc: {
      name: 'string.unquoted.heredoc.opener.svc',
      match: String.raw`${BEGINS_HEREDOC}${OPENER}(["']?)[A-Za-z_]\w*\1`,
    },
    escapes,
    escapesOfSingle,
    interpolation,
    braces,
    nested,
    strings,
    markup,
    heredocs,
    division,
    regexes,
    regex,
    declarations,
    fields,
    members,
    parametersOfBlock,
    labels,
    keywords,
    member,
    names,
    operators,
  },
};
