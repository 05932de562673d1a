import type {
  FieldMatch,
  MatchPattern,
  RestMatch,
  Arg,
  Block,
  Body,
  Expr,
  GroupTarget,
  NamedArg,
  Pair,
  Param,
  Pattern,
  Rescue,
  Splat,
  SplatTarget,
  Target,
} from '../../compiler/ast.js';

type Any = Expr | Arg | Splat | Pair | NamedArg | SplatTarget | GroupTarget | Target;
const list = (items: string[]): string => items.join(' ');
const all = (nodes: readonly Any[]): string => list(nodes.map(sketch));
const some = (label: string, text: string): string => (text === '' ? '' : ` ${label}${text}`);
const stmts = (body: readonly Expr[]): string => `{${body.map(sketch).join('; ')}}`;

/** A tree as one line of text, for expectations in tests: operators in prefix form, blocks in braces. */
export function sketch(node: Any): string {
  switch (node.type) {
    case 'Nil':
      return 'nil';
    case 'Bool':
      return String(node.value);
    case 'Int':
      return typeof node.value === 'bigint' ? `${node.value}n` : String(node.value);
    case 'Float':
      return `${node.value}f`;
    case 'Decimal':
      return `${node.value}d`;
    case 'Str':
      return JSON.stringify(node.value);
    case 'Interp':
      return `(interp ${all(node.parts)})`;
    case 'Regex':
      return `(regex ${all(node.parts)}${some('', node.flags)})`;
    case 'Ident':
      return node.name;
    case 'Vector':
      return `[${all(node.items)}]`;
    case 'Hash':
      return `(hash${some('', all(node.entries))})`;
    case 'Pair':
      return `(${sketch(node.key)} ${sketch(node.value)})`;
    case 'Splat':
      return `${node.double ? '**' : '*'}${sketch(node.value)}`;
    case 'Range':
      return `(${node.exclusive ? '...' : '..'} ${sketch(node.lo)} ${node.hi === null ? '∞' : sketch(node.hi)})`;
    case 'Lambda':
      return `(-> ${params(node.params)} ${body(node.body)})`;
    case 'Unary':
      return `(${node.op} ${sketch(node.operand)})`;
    case 'Await':
      return `(await ${sketch(node.operand)})`;
    case 'Binary':
    case 'Logical':
      return `(${node.op} ${sketch(node.left)} ${sketch(node.right)})`;
    case 'If': {
      const clauses = node.clauses.map((clause) => `${sketch(clause.cond)} ${stmts(clause.body)}`);
      return `(if ${list(clauses)}${node.else === null ? '' : ` else ${stmts(node.else)}`})`;
    }
    case 'While':
      return `(${node.doWhile ? 'do-while' : 'while'}${some(':', node.label ?? '')} ${sketch(node.cond)} ${stmts(node.body)})`;
    case 'For':
      return `(for${some(':', node.label ?? '')} ${patterns(node.targets)} ${sketch(node.iter)} ${stmts(node.body)})`;
    case 'Case': {
      const whens = node.whens.map((when) => `when ${all(when.patterns)} ${stmts(when.body)}`);
      return `(case ${node.subject === null ? '-' : sketch(node.subject)} ${list(whens)}${node.else === null ? '' : ` else ${stmts(node.else)}`})`;
    }
    case 'CaseIn': {
      const clauses = node.clauses.map(
        ({ pattern, guard, body }) =>
          `in ${match(pattern)}${some('if ', guard === null ? '' : sketch(guard))} ${stmts(body)}`,
      );
      return `(case ${sketch(node.subject)} ${list(clauses)}${node.else === null ? '' : ` else ${stmts(node.else)}`})`;
    }
    case 'Match':
      return `(in ${sketch(node.subject)} ${match(node.pattern)})`;
    case 'Begin':
      return `(begin ${body(node.body)})`;
    case 'Def':
      return `(def ${node.name.name} ${params(node.params)}${some('-> ', node.returns ?? '')} ${body(node.body)}${some('# ', node.doc)})`;
    case 'Call':
      return `(call ${sketch(node.callee)}${some('', all(node.args))}${block(node.block)})`;
    case 'Method':
      return `(${node.safe ? '&.' : '.'}${node.name}() ${sketch(node.recv)}${some('', all(node.args))}${block(node.block)})`;
    case 'Member':
      return `(${node.safe ? '&.' : '.'}${node.name} ${sketch(node.recv)})`;
    case 'Index':
      return `(at ${sketch(node.recv)} ${all(node.args)})`;
    case 'Assign':
      return `(= ${sketch(node.target)} ${sketch(node.value)})`;
    case 'OpAssign':
      return `(${node.op}= ${sketch(node.target)} ${sketch(node.value)})`;
    case 'MultiAssign':
      return `(= (${all(node.targets)}) ${sketch(node.value)})`;
    case 'SplatTarget':
      return `*${node.target === null ? '' : sketch(node.target)}`;
    case 'GroupTarget':
      return `(${all(node.targets)})`;
    case 'HashDestructure':
      return `(= {${list(node.entries.map(({ key, name }) => `${key}:${name.name}`))}} ${sketch(node.value)})`;
    case 'Return':
      return `(return${some('', node.value === null ? '' : sketch(node.value))})`;
    case 'Break':
    case 'Next':
      return `(${node.type.toLowerCase()}${some(':', node.label ?? '')}${some('', node.value === null ? '' : sketch(node.value))})`;
    case 'Retry':
      return '(retry)';
    case 'Raise':
      return `(raise${some('', all(node.args))})`;
    case 'RecordDecl':
      return `(record ${node.name.name} ${params(node.fields)}${some('# ', node.doc)})`;
    case 'InterfaceDecl':
      return `(interface ${node.name.name} ${list(node.needs.map(({ name }) => name))})`;
    case 'EnumDecl':
      return `(enum ${node.name.name} ${list(node.members.map(({ name }) => name))})`;
    case 'ErrorDecl':
      return `(error ${node.name.name}${some('< ', node.parent?.name ?? '')})`;
    case 'ConstDecl':
      return `(const ${node.name.name} ${sketch(node.value)})`;
    case 'ExportNames':
      return `(export ${list(node.names.map(({ name }) => name))})`;
    case 'UseModule':
      return `(${node.form} ${JSON.stringify(node.path)}${some('as ', node.alias?.name ?? '')})`;
    case 'NamedArg':
      return `${node.name}: ${sketch(node.value)}`;
    case 'Error':
      return '<error>';
  }
}

function match(pattern: MatchPattern | RestMatch | FieldMatch): string {
  switch (pattern.type) {
    case 'ValueMatch':
      return `(is ${sketch(pattern.value)})`;
    case 'NameMatch':
      return pattern.name ?? '_';
    case 'NamedMatch':
      return `(=> ${match(pattern.pattern)} ${match(pattern.name)})`;
    case 'AnyMatch':
      return `(any ${list(pattern.options.map(match))})`;
    case 'VectorMatch':
      return `[${list(pattern.items.map(match))}]`;
    case 'RestMatch':
      return `*${match(pattern.name)}`;
    case 'HashMatch': {
      const rest = pattern.rest === 'none' ? '**nil' : pattern.rest === null ? '' : `**${match(pattern.rest)}`;
      return `{${list([...pattern.entries.map(match), rest].filter((part) => part !== ''))}}`;
    }
    case 'FieldMatch':
      return `(${pattern.key} ${match(pattern.pattern)})`;
    case 'RecordMatch':
      return `(${sketch(pattern.record)}${some('', list([...pattern.positional, ...pattern.fields].map(match)))})`;
    default:
      return '<error>';
  }
}

function params(list: Param[]): string {
  return `(${list.map(param).join(', ')})`;
}

function param({ name, kind, default: value, pattern, annotation }: Param): string {
  const shown = pattern === null ? name : patterns(pattern);
  const marks = { plain: '', named: ':', rest: '', options: '' }[kind];
  return `${kind === 'rest' ? '*' : kind === 'options' ? '**' : ''}${shown}${marks}${some('', annotation === null ? '' : `(${annotation})`)}${some('= ', value === null ? '' : sketch(value))}`;
}

function patterns(list: Pattern[]): string {
  return `(${list
    .map((item) => {
      if (item.type === 'NamePattern') return item.name;
      return item.type === 'RestPattern' ? `*${item.name ?? ''}` : patterns(item.items);
    })
    .join(' ')})`;
}

function block(node: Block | null): string {
  return node === null ? '' : ` do${node.params === null ? '' : ` ${params(node.params)}`} ${body(node.body)}`;
}

function body(node: Body): string {
  const rescues = node.rescues.map(rescue).join('');
  return `${stmts(node.stmts)}${rescues}${node.else === null ? '' : ` else ${stmts(node.else)}`}${node.ensure === null ? '' : ` ensure ${stmts(node.ensure)}`}`;
}

function rescue({ types, name, body: inner }: Rescue): string {
  return ` rescue${some('', all(types))}${some('=> ', name?.name ?? '')} ${stmts(inner)}`;
}
