/** Exit codes of `svcc` and what they mean. The documentation, `svcc help exit-codes` and the manual page show this table. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done; a program came to its end'],
  [
    '1',
    'a program or an input of svcc repl ended with an uncaught error or a failed test, or its output could not be written; svcc check found errors; an artefact, a project or the cache could not be written; svcc routes found no app.run; svcc migrate failed; svcc top found no service',
  ],
  ['2', 'a program does not compile or cannot be read; the command line or an environment variable is invalid'],
  ['3', 'an artefact is damaged, invalid, or made for another version of svcc'],
  ['129, 130, 143', 'a signal, SIGHUP, SIGINT or SIGTERM, has ended a program or svcc repl'],
  ['141', 'the reader of the output has closed the pipe'],
  ['n', 'the program called exit(n)'],
];
