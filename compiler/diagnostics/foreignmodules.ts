/** Modules and classes of the libraries of other languages: what Svc has in place of their functions. */

const SPAWNED = '`spawn { … }`; its `value` waits for the result';
const GUARDED = '`s = shared(value)`: in the block of `s.update { |v| … }` there is one thread at a time';
const QUEUE = '`channel(10)`: `send` puts a value in, `recv` takes one out';
const OPENED = '`database("app.db")` for SQLite, or `database("postgres://user:password@host/name")`';
const HTTP_CALLS = {
  get: '`http_get({url})`',
  post: '`http_post({url}, body)`',
};
const LOG_CALLS = {
  debug: '`log.debug("message")`',
  info: '`log.info("message")`',
  warning: '`log.warn("message")`',
  error: '`log.error("message")`',
};

/**
 * By module and member. `{x}` is the argument if it is simple, else the name in the braces; `NAME` the variable of the
 * environment.
 */
export const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Array: { isArray: '`is_vector({x})`', from: '`{x}.to_a`', new: '`[0] * 3`, or `3.times.map { … }`' },
  Base64: {
    encode64: '`base64_encode({text})`',
    strict_encode64: '`base64_encode({text})`',
    decode64: '`base64_decode({text})`',
    strict_decode64: '`base64_decode({text})`',
  },
  CSV: { parse: '`csv_parse({text})`', read: '`csv_read({path})`', generate: '`csv_dump(rows)`' },
  Digest: { SHA256: '`sha256(text)`' },
  Dir: {
    children: '`dir_list({path})`',
    entries: '`dir_list({path})`',
    glob: '`dir_list(path)`, and `select` for the names',
    mkdir: '`file_mkdir({path})`',
    'exist?': '`dir_exists({path})`',
  },
  File: {
    read: '`file_read({path})`',
    write: '`file_write(path, text)`',
    readlines: '`file_lines({path})`',
    foreach: '`file_each_line({path}) { |line| … }`',
    open: '`file_read(path)`, `file_write(path, text)` or `file_each_line(path) { |line| … }`',
    delete: '`file_delete({path})`',
    rename: '`file_rename(from, to)`',
    join: '`path_join(a, b)`',
    basename: '`path_basename({path})`',
    dirname: '`path_dirname({path})`',
    extname: '`path_extname({path})`',
    'exist?': '`file_exists({path})`',
  },
  FileUtils: {
    cp: '`file_copy(from, to)`',
    mv: '`file_rename(from, to)`',
    rm: '`file_delete({path})`',
    mkdir_p: '`file_mkdir({path})`',
  },
  JSON: {
    parse: '`json_parse({text})`',
    stringify: '`json_encode({x})`',
    generate: '`json_encode({x})`',
    dump: '`json_encode({x})`',
  },
  Logger: { new: '`log.info("message")`: there is one log' },
  Math: {
    PI: '`PI`',
    E: '`E`',
    pow: '`x ** n`',
    random: '`rand_float()`',
    trunc: '`{x}.to_i`',
  },
  Mutex: { new: GUARDED },
  Net: { HTTP: '`http_get(url)`' },
  Object: { keys: '`{h}.keys`', values: '`{h}.values`', entries: '`{h}.to_a`', assign: '`{**a, **b}`' },
  OpenSSL: { HMAC: '`hmac_sign(text, secret)`', Digest: '`sha256(text)`' },
  PG: { connect: OPENED },
  Process: { clock_gettime: '`clock_ms()`', CLOCK_MONOTONIC: '`clock_ms()`' },
  Queue: { new: QUEUE },
  Random: { rand: '`rand({n})`', new: '`rand_seed(n)`, then `rand(n)`' },
  Redis: { new: '`key_store("redis://localhost")`' },
  Regexp: { new: '`regex({text})`', escape: '`Regex.escape({text})`' },
  SQLite3: { Database: OPENED },
  SecureRandom: {
    hex: '`random_token({bytes})`',
    urlsafe_base64: '`random_token({bytes})`',
    alphanumeric: '`random_token({bytes})`',
    uuid: '`uuid()`',
  },
  SizedQueue: { new: QUEUE },
  Thread: { new: SPAWNED, start: SPAWNED, fork: SPAWNED },
  Time: { now: '`now()`' },
  Timeout: { timeout: '`timeout(1) { … }`' },
  URI: {
    encode_www_form_component: '`url_encode({text})`',
    decode_www_form_component: '`url_decode({text})`',
  },
  asyncio: {
    run: 'the call alone: every function may wait, and other threads run meanwhile',
    gather: '`await [spawn { f() }, spawn { g() }]`',
    create_task: SPAWNED,
    sleep: '`sleep({seconds})`',
    wait_for: '`timeout(1) { … }`',
    Queue: QUEUE,
    Lock: GUARDED,
  },
  axios: HTTP_CALLS,
  console: { log: '`puts`', error: '`stderr.puts` or `warn`' },
  crypto: {
    randomUUID: '`uuid()`',
    randomBytes: '`random_token({bytes})`',
    createHash: '`sha256(text)`',
    createHmac: '`hmac_sign(text, secret)`',
    timingSafeEqual: '`secure_compare(a, b)`',
  },
  csv: { reader: '`csv_read(path)`', DictReader: '`csv_read(path)`', writer: '`csv_write(path, rows)`' },
  datetime: { now: '`now()`', utcnow: '`now()`', today: '`today()`', datetime: '`now()`', date: '`today()`' },
  fs: {
    readFileSync: '`file_read({path})`',
    readFile: '`file_read({path})`',
    writeFileSync: '`file_write(path, text)`',
    writeFile: '`file_write(path, text)`',
    existsSync: '`file_exists({path})`',
    readdirSync: '`dir_list({path})`',
    unlinkSync: '`file_delete({path})`',
  },
  hashlib: { sha256: '`sha256({text})`' },
  hmac: { new: '`hmac_sign(text, secret)`', compare_digest: '`secure_compare(a, b)`' },
  httpx: HTTP_CALLS,
  json: { loads: '`json_parse({text})`', dumps: '`json_encode({x})`' },
  logger: LOG_CALLS,
  logging: LOG_CALLS,
  os: { environ: '`env("NAME")`', getenv: '`env({name})`', listdir: '`dir_list({path})`', path: '`path_join(a, b)`' },
  performance: { now: '`clock_ms()`' },
  pg: { connect: OPENED, Client: OPENED, Pool: OPENED },
  process: { env: '`env("NAME")`', argv: '`argv()`', exit: '`exit(n)`' },
  psycopg: { connect: OPENED },
  psycopg2: { connect: OPENED },
  queue: { Queue: QUEUE },
  re: {
    match: '`text.match(/…/)`',
    search: '`text.match(/…/)`',
    findall: '`text.scan(/…/)`',
    sub: '`text.gsub(/…/, "…")`',
    compile: '`/…/`',
  },
  redis: { createClient: '`key_store("redis://localhost")`', Redis: '`key_store("redis://localhost")`' },
  requests: HTTP_CALLS,
  secrets: { token_hex: '`random_token({bytes})`', token_urlsafe: '`random_token({bytes})`' },
  sqlite3: { connect: OPENED, Database: OPENED },
  subprocess: { run: '`shell({command})`', check_output: '`shell({command})`' },
  sync: { Mutex: GUARDED },
  sys: { argv: '`argv()`', exit: '`exit(n)`' },
  threading: { Thread: SPAWNED, Lock: GUARDED, RLock: GUARDED },
  time: {
    sleep: '`sleep({seconds})`',
    time: '`now().timestamp`',
    monotonic: '`clock_ms()`',
    perf_counter: '`clock_ms()`',
    Sleep: '`sleep(seconds)`',
    Now: '`now()`',
  },
};

/** `.env.HOME` and `.environ["HOME"]`. */
const ENVIRONMENT = /^\s*\.\s*env(?:iron)?(?:\.(?!get\b)(\w+)|(?:\.get\(|\[)\s*["'](\w+)["'])/;

/** An argument that can stand in a hint, else `other`. */
export const first = (args: string, other: string): string =>
  /^(?:[\w.]+|"[^"]*"|'[^']*'|\[[^[\]]*\])$/.test(args) ? args : other;

/**
 * What to write instead of the member of a module that `rest` names, the text after the module; null for members and
 * modules that are not known.
 */
export function memberHint(module: string, rest: string): string | null {
  const [, called = '', args = '(x)'] = /^\s*\.\s*(\w+\??)(\([^()]*\))?/.exec(rest) ?? [];
  if (!Object.hasOwn(MEMBERS, module) || !Object.hasOwn(MEMBERS[module], called)) return null;
  const variable = ENVIRONMENT.exec(rest)?.slice(1).join('') || 'NAME';
  const argument = args.slice(1, -1).trim();
  const written = MEMBERS[module][called].replace(/\{(\w+)\}/g, (_, name: string) => first(argument, name));
  return `write ${written.replace('NAME', variable)}`;
}
