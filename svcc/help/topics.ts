import { dirname } from 'node:path';
import { VARIABLES } from './environment.js';
import { EXIT_CODES } from './exitcodes.js';
import { rows } from './layout.js';

const LANGUAGE = `A program is a file of statements; a line is a statement.

  name = "Ann"                     variables begin with their first assignment
  puts "Hello, #{name}!"           texts take values in
  list = [1, 2.5, nil, true]       vectors
  hash = {name: "Ann", age: 3}     hashes; hash.name and hash["name"] read a key
  (1..3).each { |i| puts i }       blocks; several lines between do and end

  def area(width, height = 1)      functions return their last value
    width * height
  end

  if x > 1 … elsif … else … end    while … end, for x in list … end
  case x … when 1, 2 … else … end  case x … in {name:, age: 1..9} … end
  record Point(x, y)               records; enum Color(Red, Green)
  begin … rescue IOError => e … ensure … end
  task = spawn { work() }          threads; task.await is the value
  require "./other"                another file

docs/language.md describes all of it, docs/library.md the functions and methods.`;

const DOCUMENTS: readonly (readonly [file: string, about: string])[] = [
  ['docs/guide/README.md', 'the guide: from a first route to a service behind nginx'],
  ['docs/language.md', 'the language; what differs from Ruby, Python and JavaScript'],
  ['docs/library.md', 'all functions and methods, with examples'],
  ['docs/web.md', 'web applications; docs/web-reference.md has each function'],
  ['docs/data.md', 'databases and migrations'],
  ['docs/bus.md', 'messages between processes and hosts'],
  ['docs/auth.md', 'logins, tokens, OpenID'],
  ['docs/concurrency.md', 'threads, waiting, time'],
  ['docs/checking.md', 'svcc check'],
  ['docs/tools.md', 'svcc repl, completion of shells, exit codes, environment'],
  ['examples/', 'programs to copy from'],
];

/** Texts that `svcc help TOPIC` prints. */
const TOPICS: Readonly<Record<string, () => Promise<string> | string>> = {
  language: () => LANGUAGE,
  errors,
  environment: () => rows(VARIABLES),
  'exit-codes': () => rows(EXIT_CODES),
  documentation: async () => {
    const { templatesFolder } = await import('../projectfiles.js');
    const templates = templatesFolder();
    return rows(DOCUMENTS) + (templates === null ? '' : `\n\nThese files are in ${dirname(templates)}.`);
  },
};

async function errors(): Promise<string> {
  const { CHECKS, CODES } = await import('../../compiler/diagnostics/codes.js');
  return `Codes of errors, for which a program does not compile, in svcc check --json:

${rows(Object.entries(CODES))}

Findings of svcc check:

${rows(Object.entries(CHECKS))}`;
}

/** The text of a topic. */
export async function textOf(name: string): Promise<string> {
  return `${await TOPICS[name]()}\n`;
}
