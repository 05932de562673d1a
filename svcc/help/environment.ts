/** Environment variables that `svcc` reads. The documentation, `svcc help environment` and the manual page show this table. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['PORT, HOST', 'address of the web server if the program names none'],
  ['DATABASE_URL', 'the database of svcc migrate'],
  ['SVC_LOG', 'level of the log: debug, info, warn, error or off; another value is reported, and info is used'],
  ['SVC_CACHE_DIR', 'folder of compiled programs; else $XDG_CACHE_HOME/svc, else ~/.cache/svc'],
  ['SVC_CACHE_BYTES', 'maximum size of that folder (64 MB)'],
  ['SVC_JIT', 'calls after which a function is compiled to JavaScript; off: never'],
  ['SVC_CLOCK', 'virtual: a clock that jumps forward when all threads wait'],
  ['SVC_SEED', 'number that decides the order of threads and random numbers'],
  ['SVC_SLICE', 'safepoints after which a thread yields; by default time decides'],
  ['SVC_DEBUG', 'shows the JavaScript stack of an internal error'],
  ['XDG_STATE_HOME', 'folder of the history of svcc repl, in svc/history; else ~/.local/state'],
  [
    'XDG_RUNTIME_DIR',
    'folder of the sockets that svcc top reads, in svc; else svc-UID in the folder of temporary files',
  ],
  ['NO_COLOR', 'no colours, if it is not empty'],
];
