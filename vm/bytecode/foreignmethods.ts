/** Methods of other languages, by the type of their receiver: what Svc has in their place. */
import { nearest } from './nearest.js';

/** Methods of Svc that do the same. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Vector: {
    forEach: 'each',
    includes: 'include?',
    contains: 'include?',
    indexOf: 'index',
    lastIndexOf: 'rindex',
    findIndex: 'index',
    some: 'any?',
    every: 'all?',
    flatMap: 'flat_map',
    flat: 'flatten',
    extend: 'concat',
    add: 'push',
    isEmpty: 'empty?',
    toString: 'to_s',
    clone: 'copy',
  },
  String: {
    toUpperCase: 'upcase',
    upper: 'upcase',
    toLowerCase: 'downcase',
    lower: 'downcase',
    trim: 'strip',
    trimStart: 'lstrip',
    trimEnd: 'rstrip',
    padStart: 'rjust',
    padEnd: 'ljust',
    startsWith: 'start_with?',
    startswith: 'start_with?',
    endsWith: 'end_with?',
    endswith: 'end_with?',
    includes: 'include?',
    contains: 'include?',
    indexOf: 'index',
    lastIndexOf: 'rindex',
    replaceAll: 'gsub',
    matchAll: 'scan',
    charCodeAt: 'ord',
    codePointAt: 'ord',
    isdigit: 'digit?',
    isalpha: 'alpha?',
    isspace: 'space?',
    splitlines: 'lines',
    toString: 'to_s',
  },
  Hash: {
    forEach: 'each',
    has: 'key?',
    hasOwnProperty: 'key?',
    contains: 'key?',
    isEmpty: 'empty?',
    clone: 'copy',
  },
  Task: { join: 'value', result: 'value', get: 'value', wait: 'value', kill: 'cancel', abort: 'cancel' },
  Channel: {
    push: 'send',
    put: 'send',
    enq: 'send',
    pop: 'recv',
    shift: 'recv',
    deq: 'recv',
    receive: 'recv',
    size: 'length',
    count: 'length',
  },
  Shared: { read: 'get', load: 'get', write: 'set', store: 'set', swap: 'update', synchronize: 'update' },
  SvcApp: {
    start: 'run',
    serve: 'run',
    ws: 'websocket',
    use_middleware: 'use',
    add_middleware: 'use',
    include_router: 'mount',
    register_blueprint: 'mount',
    errorhandler: 'error',
    exception_handler: 'error',
    on_error: 'error',
  },
  SvcRequest: {
    remote_addr: 'ip',
    remote_ip: 'ip',
    verb: 'method',
    request_method: 'method',
    path_info: 'path',
    uri: 'url',
    hostname: 'host',
    protocol: 'scheme',
    args: 'query',
    query_params: 'query',
    get_json: 'json',
    raw_body: 'bytes',
  },
  SvcResponse: { code: 'status', status_code: 'status', set: 'set_header', header: 'set_header', cookie: 'set_cookie' },
  SvcSession: { get: 'fetch', remove: 'delete', has: 'has_key?' },
  SvcWebSocket: { receive: 'recv', read: 'recv', write: 'send', emit: 'send', push: 'send' },
  Database: {
    execute: 'exec',
    run: 'exec',
    all: 'query',
    select: 'query',
    fetch: 'query',
    first: 'query_one',
    get: 'query_one',
    one: 'query_one',
    get_first_row: 'query_one',
    scalar: 'value',
    pluck: 'value',
    create: 'insert',
    where: 'find_all',
    find_by: 'find_one',
    begin: 'transaction',
  },
  Integer: { toString: 'to_s' },
  Float: { toString: 'to_s' },
  Date: { getFullYear: 'year', getTime: 'timestamp', isoformat: 'to_s', toISOString: 'to_s' },
};

const ROUTES = 'write `app.get(path) do |req| … end`, and the same with `post`, `put`, `patch` and `delete`';
const HEADER = 'write `req.headers["Name"]`';
const EACH_MESSAGE = 'write `while (message = ws.recv) != nil`, what to do, and `end`';

/** Forms of Svc that do the same. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Vector: { splice: 'write `v[1..2] = […]`' },
  String: {
    join: 'the vector comes first: `list.join(", ")`',
    json: 'write `json_parse(text)`; the body of a request is `req.json`',
    each: 'write `each_char`, or `each_line`',
    charAt: 'write `text[i]`',
    substring: 'write `text[from...to]`',
    substr: 'write `text[start, length]`',
  },
  Hash: {
    get: 'write `h[key]`, or `h.fetch(key, default)`',
    put: 'write `h[key] = value`',
    set: 'write `h[key] = value`',
  },
  Task: {
    then: 'write `await task`, which returns its value',
    'alive?': 'write `not task.done?`',
  },
  Channel: {
    get: 'write `channel.recv`',
    'empty?': 'write `channel.length == 0`',
  },
  Shared: {
    value: 'write `s.get`; to change it `s.set(value)`, or `s.update { |v| v + 1 }`',
    incr: 'write `s.update { |v| v + 1 }`',
    lock: 'write `s.update { |v| … }`: one thread at a time is in such a block',
  },
  SvcApp: {
    listen: 'write `app.run(port: 3000)`',
    route: ROUTES,
    all: ROUTES,
  },
  SvcRequest: {
    header: HEADER,
    get: HEADER,
    user_agent: 'write `req.headers["User-Agent"]`',
    param: 'write `req.params["name"]`, or `req.query["name"]`',
    cookie: 'write `req.cookies["name"]`',
  },
  SvcResponse: { json: 'write `json_response(value, status)`' },
  SvcWebSocket: {
    on: EACH_MESSAGE,
    onmessage: EACH_MESSAGE,
    each: EACH_MESSAGE,
    broadcast: 'write `app.broadcast(path, message)`, or send to a room: `app.rooms["name"].send(message)`',
  },
  Database: {
    prepare: 'leave it out: statements are prepared at their first use; write `db.query(sql, values)`',
  },
  Float: { toFixed: 'write `format("%.2f", x)`, or `x.round(2)`' },
  Integer: { toFixed: 'write `format("%.2f", x)`', each: 'write `times`' },
};

/** Methods of Ruby that every value has there. */
const OF_ALL: Readonly<Record<string, string>> = {
  freeze: 'leave it out: no values can be frozen',
  'instance_of?': 'write `x is Type`',
};

/**
 * What follows a message about an unknown method, such as `, did you mean 'each'?`; empty for most names.
 * @param names those among which a similar one is suggested
 */
export function methodHint(type: string, name: string, names: Iterable<string>): string {
  const written = own(WRITTEN[type], name) ?? own(OF_ALL, name);
  if (written !== undefined) return `: ${written}`;
  const meant = own(RENAMED[type], name) ?? nearest(name, names);
  return meant === null ? '' : `, did you mean '${meant}'?`;
}

function own(table: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
