import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { CheckCode } from '../../compiler/diagnostics/codes.js';
import type { Finding } from '../../svcc/check.js';
import { svcc } from './svcc.js';

/** Programs with one mistake each: the code of its finding, and the program, whose marker `#!` ends the line of the mistake. */
const MISTAKES: readonly [CheckCode, string][] = [
  // names
  ['unknown-name', 'puts coutn(1) #!'],
  ['unknown-name', 'def f(a)\n  a + bb #!\nend\nputs f(1)'],
  ['constant-reassigned', 'LIMIT = 1\nLIMIT = 2 #!\nputs LIMIT'],
  ['unused-variable', 'def f\n  total = 1 #!\n  2\nend\nputs f()'],
  ['unreachable', 'def f\n  return 1\n  puts 2 #!\nend\nputs f()'],
  // arguments
  ['wrong-arguments', 'def f(a) a end\nputs f(1, 2) #!'],
  ['wrong-arguments', 'def f(a, b) a + b end\nputs f(1) #!'],
  ['wrong-arguments', 'def f(a, by: 1) a + by end\nputs f(1, bye: 2) #!'],
  ['wrong-arguments', 'record P(x, y)\nputs P(1) #!'],
  ['wrong-arguments', 'record P(x) do\n  def add(n) x + n end\nend\nputs P(1).add() #!'],
  ['wrong-arguments', 'puts gcd(1, 2, 3) #!'],
  ['wrong-arguments', 'puts "abc".center() #!'],
  ['wrong-arguments', 'puts "abc".upcase.center(1, " ", 2) #!'],
  ['wrong-arguments', 'app = web_app()\napp.get("/") do |req|\n  req.query_int() #!\nend\napp.run(0)'],
  // methods and fields
  ['unknown-method', 'puts "abc".nope #!'],
  ['unknown-method', 'puts 5.upcase #!'],
  ['unknown-method', 'puts true.length #!'],
  ['unknown-method', 'puts [1, 2].mapp { it } #!'],
  ['unknown-method', 'puts nil.upcase #!'],
  ['unknown-method', 'record P(x)\nputs P(1).nope #!'],
  ['unknown-method', 'record P(x)\np = P(1)\np.z = 2 #!\nputs p'],
  ['unknown-method', 'puts "a b".split(" ").mapp { it } #!'],
  ['unknown-method', 'puts "abc".upcase.lenght #!'],
  ['unknown-method', 'puts [3, 1].sort.upcase #!'],
  ['unknown-method', 'puts [3, 1].map { it }.downcase #!'],
  ['unknown-method', 'def name(n) -> String\n  n.to_s\nend\nputs name(1).lenght #!'],
  ['unknown-method', 'app = web_app()\napp.gett("/") { |req| "x" } #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.get("/") { |req| req.fom } #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.get("/") { it.qery } #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.post("/", ->(req) { req.bdy }) #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.before { |req| puts req.mehtod } #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.use { |req, next_fn| puts req.pth; next_fn(req) } #!\napp.run(0)'],
  ['unknown-method', 'app = web_app()\napp.websocket("/") { |ws| ws.sned("a") } #!\napp.run(0)'],
  [
    'unknown-method',
    'app = web_app()\napp.get("/") do |req|\n  res = response("a")\n  res.set_heder("a", "b") #!\n  res\nend\napp.run(0)',
  ],
  ['unknown-method', 'record P(name: String)\ndef f(p: P)\n  p.name.lenght #!\nend\nputs f(P("a"))'],
  ['unknown-method', 'record P(x: Int)\ndef f(ps: Vector<P>)\n  ps.map { |p| p.y } #!\nend\nputs f([P(1)])'],
  [
    'unknown-method',
    'def f(names: Vector<String>)\n  for name in names\n    puts name.uppcase #!\n  end\nend\nf(["a"])',
  ],
  ['unknown-method', 'puts ["a", "b"].map { |x| x.upcas } #!'],
  ['unknown-method', '3.times { |i| puts i.upcase } #!'],
  ['unknown-method', 'puts Bytes("ab").upcase #!'],
  ['unknown-method', 'c = channel(1)\nc.sennd(1) #!\nputs c.recv'],
  ['unknown-method', 'def f(names: Vector<String>)\n  names.first.upcse #!\nend\nputs f(["a"])'],
  [
    'unknown-method',
    'def f(prices: Hash<String, Int>)\n  prices.each { |name, price| puts name, price.upcase } #!\nend\nf({a: 1})',
  ],
  ['unknown-method', 'def f(born: Date)\n  (now() - born).in_hours #!\nend\nputs f(now())'],
  // types
  ['wrong-type', 'def f(n: Int)\n  label = n > 5 ? "big" : "small"\n  label + 1 #!\nend\nputs f(1)'],
  ['wrong-type', 'puts 5 + "a" #!'],
  ['wrong-type', 'name = "a"\nputs name - 1 #!'],
  ['wrong-type', 'puts 3 < "4" #!'],
  ['wrong-type', 'puts "abc".length + "x" #!'],
  ['wrong-type', 'puts nil + 1 #!'],
  ['wrong-type', 'puts sqrt("4") #!'],
  ['wrong-type', 'puts "a".center("10") #!'],
  ['wrong-type', 'def f(n: Int) n end\nputs f("a") #!'],
  ['wrong-type', 'def f(n: Int = "a") n end #!\nputs f()'],
  ['wrong-type', 'def f() -> Int\n  "a" #!\nend\nputs f()'],
  ['wrong-type', 'def f(n: Int | String) n end\nputs f(1.5) #!'],
  ['wrong-type', 'def f(n: Int?) n end\nputs f("a") #!'],
  ['wrong-type', 'def f(ns: Vector<Int>) ns end\nputs f([1, "a"]) #!'],
  ['wrong-type', 'def f(h: Hash<String, Int>) h end\nputs f({a: "b"}) #!'],
  ['wrong-type', 'def f(g: (Int, Int) -> Int) g(1, 2) end\nputs f(3) #!'],
  ['wrong-type', 'record Money(cents: Int)\nputs Money("5") #!'],
  ['wrong-type', 'record Money(cents: Int)\nm = Money(5)\nm.cents = "6" #!\nputs m'],
  ['wrong-type', 'record Money(cents: Int)\ndef f(m: Money) m.cents + "a" end #!\nputs f(Money(5))'],
  ['wrong-type', 'app = web_app()\napp.set("threads", "many") #!\napp.run(0)'],
  ['wrong-type', 'app = web_app()\napp.static("/a", "public", max_age: "long") #!\napp.run(0)'],
  ['wrong-type', 'puts "a".center(width: "10") #!'],
  ['unknown-type', 'def f(n: Strng) n end #!\nputs f("a")'],
  ['unknown-type', 'def f(n: Vector<Strng>) n end #!\nputs f(["a"])'],
  ['wrong-type', 'def f() -> Vector<Int>\n  [1, "a"] #!\nend\nputs f()'],
  ['wrong-type', 'def f(g: ((Int) -> Int)? = nil, h: (String) -> Int | nil = nil) [g, h] end\nputs f("a") #!'],
  // calls and iteration
  ['not-a-function', 'x = 5\nputs x(1) #!'],
  ['not-a-function', 'name = "a"\nputs name(2) #!'],
  ['not-iterable', 'for i in 5 #!\n  puts i\nend'],
  ['not-iterable', 'for c in "abc" #!\n  puts c\nend'],
  ['not-iterable', 'def f() -> Bool\n  true\nend\nfor x in f() #!\n  puts x\nend'],
  // nil
  ['may-be-nil', 'def g(us: Vector, id)\n  us.find { |u| u["id"] == id }.name #!\nend\nputs g([], 1)'],
  [
    'may-be-nil',
    'def f(us: Vector, id)\n  user = us.find { |u| u["id"] == id }\n  user["name"] #!\nend\nputs f([], 1)',
  ],
  ['may-be-nil', 'def f(name: String?)\n  name.upcase #!\nend\nputs f("a")'],
  ['may-be-nil', 'def f(n: Int?)\n  n + 1 #!\nend\nputs f(1)'],
  ['may-be-nil', 'def f(n: Int | nil)\n  n * 2 #!\nend\nputs f(1)'],
  ['may-be-nil', 'def f(t: String)\n  t.index("=") + 1 #!\nend\nputs f("a=b")'],
  ['may-be-nil', 'def f(t: String)\n  m = t.match(/a(b)/)\n  m[1] #!\nend\nputs f("ab")'],
  [
    'may-be-nil',
    'def find_user(id) -> String?\n  id == 1 ? "a" : nil\nend\ndef g(id)\n  find_user(id).upcase #!\nend\nputs g(1)',
  ],
  ['wrong-arguments', 'app = web_app()\napp.get("/") { |req| req.query("name").upcase } #!\napp.run(0)'],
  ['may-be-nil', 'app = web_app()\napp.get("/") { |req| req.content_type.upcase } #!\napp.run(0)'],
  // keys
  ['unknown-key', 'user = {name: "Ann", email: "a"}\nputs user["emial"] #!'],
  ['unknown-key', 'user = {name: "Ann", email: "a"}\nputs user.nmae #!'],
  ['unknown-key', 'PORTS = {http: 80, https: 443}\ndef port() PORTS["htps"] end #!\nputs port()'],
  // threads
  ['lost-change', 'count = 0\nspawn do\n  count += 1 #!\n  nil\nend\nsleep 1\nputs count'],
  ['lost-change', 'count = 0\ntasks = [1, 2].map { spawn { count += 1 } } #!\nawait tasks\nputs count'],
  ['lost-change', 'found = []\nspawn do\n  found << 1 #!\n  nil\nend\nsleep 1\nputs found'],
  ['lost-change', 'seen = {}\nspawn do\n  seen["a"] = 1 #!\n  nil\nend\nsleep 1\nputs seen'],
  // values of calls
  ['wrong-arguments', 'db = database(":memory:")\nputs db.query("select ?, ?", 1) #!'],
  ['wrong-arguments', 'db = database(":memory:")\nputs db.query("select :a", b: 1) #!'],
  ['wrong-type', 'jobs = job_queue(database(":memory:"))\njobs.every("a", "30 2 * *") { |job| puts job.name } #!'],
  ['wrong-type', 'jobs = job_queue(database(":memory:"))\njobs.push("a", {done: -> { 1 }}) #!'],
  ['wrong-type', 'app = web_app()\napp.get("/") { |req| spawn { req.path } } #!\napp.run(0)'],
  ['wrong-type', 'app = web_app()\napp.get("/") { |req| response(req.path, "201") } #!\napp.run(0)'],
  ['wrong-arguments', 'def f(g: (Int, Int) -> Int) g(1) end #!\nputs f(->(a, b) { a + b })'],
  ['wrong-type', 'def f(g: (Int) -> Int) g(1) end\nputs f(->(a, b) { a + b }) #!'],
  ['wrong-type', 'def f(names: Vector<String>)\n  names << 5 #!\n  names\nend\nputs f([])'],
  ['wrong-type', 'def f(n: Int)\n  n[0] #!\nend\nputs f(5)'],
  ['may-be-nil', 'def f(n: Int) -> Int\n  if n > 5 #!\n    1\n  elsif n > 3\n    2\n  end\nend\nputs f(5)'],
  ['unknown-method', 'puts (1..).lazy.map { |x| x * x }.selct { |x| x.even? }.first(3) #!'],
  ['wrong-arguments', 'app = web_app()\napp.get("/") { |req, res| "x" } #!\napp.run(0)'],
  // types that never meet
  ['never-true', 'def f(n: Int)\n  n == "0" #!\nend\nputs f(1)'],
  [
    'never-true',
    'enum Status(open, paid)\nrecord Order(status: Status)\ndef late?(order: Order)\n  order.status == "payed" #!\nend\nputs late?(Order("paid"))',
  ],
  [
    'unreachable-clause',
    'def f(line: String)\n  case line\n  in [key, value] then [key, value] #!\n  in text then text\n  end\nend\nputs f("a=b")',
  ],
  [
    'unreachable-clause',
    'def f(path)\n  file_read(path)\nrescue IOError\n  1\nrescue TimeoutError #!\n  2\nend\nputs f("x")',
  ],
  ['wrong-type', 'enum Level(info, warning)\ndef report(level: Level) level end\nputs report("warn") #!'],
  ['wrong-type', 'record NotFound(id)\ndef find(id)\n  raise NotFound(id) unless id == 1 #!\n  id\nend\nputs find(1)'],
  ['wrong-arguments', 'puts Date.parse("2026-03-28", zonne: "UTC") #!'],
  // the web
  ['unknown-setting', 'app = web_app()\napp.set("bodybytes", 5) #!\napp.run(0)'],
  ['unknown-setting', 'app = web_app()\ndef setup() app.set("timeout", 5) end #!\nsetup()\napp.run(0)'],
  ['duplicate-route', 'app = web_app()\napp.get("/a") { "1" }\napp.get("/a") { "2" } #!\napp.run(0)'],
  ['duplicate-route', 'app = web_app()\napp.get("/a/:id") { "1" }\napp.get("/a/:name") { "2" } #!\napp.run(0)'],
  ['undeclared-part', 'app = web_app()\napp.post("/a") { |req| req.valid.to_s } #!\napp.run(0)'],
  ['undeclared-part', 'app = web_app()\napp.get("/a/:b", params: {c: Int = 1}) { "" } #!\napp.run(0)'],
  ['wrong-type', 'record A(n: Int(1..5) = 9) #!\nputs A()'],
  ['wrong-type', 'app = web_app()\napp.post("/a", body: "x") { "" } #!\napp.run(0)'],
  [
    'unknown-method',
    'record A(name: String)\napp = web_app()\napp.post("/a", body: A) do |req|\n  req.valid.nmae #!\nend\napp.run(0)',
  ],
  [
    'handler-without-value',
    'app = web_app()\napp.get("/") do |req|\n  if req.path == "/" #!\n    "x"\n  end\nend\napp.run(0)',
  ],
  ['unused-response', 'def guard(req)\n  redirect("/login") unless req[:user] #!\n  nil\nend\nputs guard'],
  [
    'unused-response',
    'app = web_app()\napp.get("/") do |req|\n  response("", 404) if req.path == "/" #!\n  "page"\nend\napp.run(0)',
  ],
  ['literal-secret', 'app = web_app()\napp.get("/") do |req|\n  session(req, secret: "abc")["a"] #!\nend\napp.run(0)'],
  ['literal-secret', 'KEY = "abc"\nputs hmac_sign("text", KEY) #!'],
  ['literal-secret', 'app = web_app()\napp.sessions(secret: "abc") #!\napp.run(0)'],
  ['literal-secret', 'app = web_app()\nOLD = "abc"\napp.sessions([env("NEW"), OLD]) #!\napp.run(0)'],
  ['literal-secret', 'use "jwt"\nputs jwt_sign({sub: "ann"}, "abc", "HS256") #!'],
  ['literal-secret', 'use "jwt"\nputs jwt_verify("x", {kty: "oct", k: "abc"}, "HS256") #!'],
  ['literal-secret', 'use "jwt"\nputs jwt_verify("x", algorithms: "HS256", key: "abc") #!'],
  ['literal-secret', 'use "oidc"\nputs oidc("https://a.example", "b", "https://b.example/", client_secret: "abc") #!'],
  ['literal-secret', 'puts http_get("https://ann:s3cret@example.org/").status #!'],
  [
    'unescaped-text',
    'app = web_app()\napp.get("/") { |req| html_response("<p>#{req.params["name"]}</p>") } #!\napp.run(0)',
  ],
  [
    'unescaped-text',
    'app = web_app()\napp.get("/") do |req|\n  name = req.params["name"]\n  html_response("<p>" + name + "</p>") #!\nend\napp.run(0)',
  ],
  // clauses
  [
    'missing-variant',
    'enum Color(Red, Green)\ndef f(c)\n  case c #!\n  when Color.Red then 1\n  end\nend\nputs f(Color.Red)',
  ],
  ['unreachable-clause', 'def f(x)\n  case x\n  in _ then 1\n  in 2 then 2 #!\n  end\nend\nputs f(1)'],
];

t.test('planted mistakes are found where they are', async (t) => {
  const folder = t.testdir({});
  const names = MISTAKES.map(([, source], i) => {
    const name = `m${i}.svc`;
    writeFileSync(join(folder, name), `${source}\n`);
    return name;
  });
  const { stdout, stderr } = await svcc(['check', '--json', ...names], { cwd: folder });
  t.equal(stderr, '');
  const findings = JSON.parse(stdout) as Finding[];
  t.ok(MISTAKES.length >= 60);
  MISTAKES.forEach(([code, source], i) => {
    const line = source.split('\n').findIndex((text) => text.includes('#!')) + 1;
    const found = findings.filter(({ file }) => file === `m${i}.svc`).map((finding) => [finding.code, finding.line]);
    t.strictSame(found, [[code, line]], source);
  });
});
