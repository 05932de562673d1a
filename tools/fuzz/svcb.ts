import { compile } from '../../compiler/index.js';
import { libraryNames } from '../../svcc/library.js';
import { InvalidArtefact } from '../../vm/artefact/bytes.js';
import { decodeProgram, encodeProgram } from '../../vm/artefact/payload.js';
import { decodeAll, InvalidBytecode } from '../../vm/bytecode/decode.js';
import type { Constant, FunctionProto, Program } from '../../vm/bytecode/program.js';
import { verifyProgram } from '../../vm/bytecode/verify.js';
import { type Fate, runForAWhile } from './run.js';
import { Random } from './random.js';

/** Maximum time for one artefact, in milliseconds, on a machine whose memory is not slow. */
const MAX_MS = 1000;
/** Registers of the largest function, and how many of its frames are copied to see how slow memory is. */
const MAX_REGISTERS = 65_536;
const FRAMES = 2000;
/** An artefact may make a frame at each of its 20,000 safepoints, ten times as many; half as long again for all else. */
const MAX_RATIO = 15;
/** Maximum number of artefacts kept for further mutation, because they reached something new. */
const MAX_CORPUS = 400;

/** Programs to mutate: together they use most opcodes. */
const SEEDS = [
  'puts 1 + 2 * 3, "a" + "b", 7 // 2, 7 % -2, 2 ** 70, 1.5 / 2, -3, !true, 1 <=> 2\n',
  'def fib(n)\n  return n if n < 2\n  fib(n - 1) + fib(n - 2)\nend\nputs fib(12)\n',
  'xs = [1, 2, 3].map { |x| x * 2 }.select { |x| x > 2 }\nfor a, b in {x: 1, y: 2} do puts a, b end\nputs xs.each_slice(2).to_a, xs.sum\n',
  'begin\n  raise ValueError, "bad"\nrescue TypeError, ValueError => e\n  puts e.message\nelse\n  puts 1\nensure\n  puts "done"\nend\n',
  'record Point(x, y = 0)\nenum Color(red, green)\nerror Oops < ValueError\np1 = Point(1)\np1.y += 2\np1["x"] = 5\ncase p1\nwhen {x: 5} then puts p1\nwhen Point, *[1, 2] then puts Color.red\nend\nraise Oops, "x" if p1.x > 7\n',
  'n = 0\ncounter = -> { n += 1 }\ncounter.()\ni = 0\nwhile i < 10\n  i += 1\n  next if i == 3\n  break if i == 7\n  counter.call()\nend\nputs n, "#{i}: #{n}"\n',
  'def f(a, b = 2, c: 3, *rest)\n  [a, b, c, rest]\nend\nputs f(1), f(1, 2, 3, c: 4), f(*[1, 2], **{c: 5})\na, *r, z = [1, 2, 3, 4]\n{k: m} = {k: 1}\nputs a, r, z, m\n',
  't = spawn { sleep(0.1)\n 42 }\nch = channel(2)\nspawn { ch.send(1) }\nputs await t, ch.recv()\ntimeout(5) { sleep(0.01) }\nputs [3, 1, 2].sort_by { |x| -x }.inspect\n',
  'h = {a: 1, "b c" => [1, 2], 3 => nil}\nh["d"] ||= 4\nh.a += 1\nputs h, h["a"], h&.b, (1..5).to_a, (1...4).sum, "abc"[1..], "x=1" =~ /\\d/, "a-b".gsub(/-(b)/, "\\\\1")\nputs json_encode(h), json_parse("[1, 2.5, null]")\n',
  'BIG = 123456789012345678901234567890\nputs BIG * 2, %w[a b].join("-"), [[1, 2], [3, 4]].map { |a, b| a + b }, [1, nil, 2].compact, {**{a: 1}, b: 2}, [*1..3, 4]\nx = loop do\n  break 5\nend\nputs x, (x > 3 and "yes" or "no"), x |> puts\nfor :outer i in 1..3 do\n  for j in 1..3 do\n    break :outer if j == 2\n  end\nend\n',
];

function seedPrograms(): Program[] {
  return SEEDS.map((text, i) => {
    const { program, diagnostics } = compile(`seed${i}.svc`, text, {
      natives: libraryNames(),
      builtinModules: new Set(),
      load: () => null,
    });
    if (program === null) throw new Error(`seed ${i}: ${diagnostics.map(({ message }) => message).join('; ')}`);
    return program;
  });
}

const EDGES = [0, 1, 2, 3, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 32, 2 ** 53 - 1];

/** Changes some bytes at random, without knowledge of the layout. */
function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  let out = Array.from(bytes);
  for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--) {
    const at = random.below(out.length);
    switch (random.below(6)) {
      case 0:
        out[at] = random.below(256);
        break;
      case 1:
        out[at] ^= 1 << random.below(8);
        break;
      case 2:
        out.splice(at, 1 + random.below(4));
        break;
      case 3:
        out.splice(at, 0, ...Array.from({ length: 1 + random.below(4) }, () => random.below(256)));
        break;
      case 4:
        out.splice(at, 0, ...out.slice(random.below(out.length), at));
        break;
      default:
        out = out.slice(0, at);
    }
    if (out.length > 100_000) out.length = 100_000;
  }
  return Uint8Array.from(out);
}

function mutateCode(random: Random, fn: FunctionProto): void {
  const code = fn.code.slice();
  if (code.length === 0) return;
  const at = random.below(code.length);
  switch (random.below(6)) {
    case 0:
      code[at] = random.pick(EDGES) | 0;
      break;
    case 1:
      code[at] = (code[at] & ~255) | random.below(120);
      break;
    case 2:
      code[at] ^= 1 << random.below(32);
      break;
    case 3:
      code[at] = (code[at] & ~(255 << 8)) | (random.below(fn.registers + 1) << 8);
      break;
    default: {
      const from = random.below(code.length);
      fn.code = Int32Array.from([
        ...code.slice(0, at),
        ...code.slice(from, from + 1 + random.below(6)),
        ...code.slice(at),
      ]);
      return;
    }
  }
  fn.code = code;
}

function otherConstant(random: Random): Constant {
  switch (random.below(5)) {
    case 0:
      return { kind: 'integer', value: random.pick([0, -1, 2 ** 40, 10n ** 40n]) };
    case 1:
      return { kind: 'float', value: random.pick([0, -0, NaN, Infinity, 1e308]) };
    case 2:
      return { kind: 'string', value: random.pick(['', '\ud800', '&', 'each', '__proto__', 'constructor']) };
    case 3:
      return { kind: 'decimal', value: random.pick(['0', '-12.50', '1e9', '', '9'.repeat(1001)]) };
    case 4:
      return { kind: 'names', value: random.pick([[], ['&'], ['a', 'a'], ['__proto__']]) };
    default:
      return { kind: 'regex', source: random.pick(['(', 'a*', '[', '\\']), flags: random.pick(['', 'i', 'ix']) };
  }
}

/** Changes parts of a program, with knowledge of the layout. */
function mutateStructure(random: Random, program: Program): Program {
  const out: Program = {
    ...program,
    functions: program.functions.map((fn) => ({ ...fn })),
    constants: program.constants.slice(),
    natives: program.natives.slice(),
    types: program.types.slice(),
  };
  for (let n = 1 + random.below(3); n > 0; n--) {
    const fn = random.pick(out.functions);
    switch (random.below(9)) {
      case 0:
        fn.registers = random.pick([0, 1, fn.registers + 1, 255, 65_536]);
        break;
      case 1:
        fn.params = fn.params.slice(1);
        break;
      case 2:
        fn.captures = random.below(3);
        break;
      case 3:
        if (out.constants.length > 0) out.constants[random.below(out.constants.length)] = otherConstant(random);
        break;
      case 4:
        if (out.natives.length > 0) out.natives[random.below(out.natives.length)] = random.pick([...libraryNames()]);
        break;
      case 5:
        out.entry = random.below(out.functions.length);
        break;
      case 6:
        fn.handlers = Int32Array.from([
          random.below(9),
          random.below(20),
          random.below(30),
          random.below(2),
          ...fn.handlers,
        ]);
        break;
      default:
        mutateCode(random, fn);
    }
  }
  return out;
}

export interface Findings {
  count: number;
  fates: Record<Fate | 'damaged', number>;
  /** Number of distinct pairs of adjacent opcodes in accepted mutants. */
  pairs: number;
  /** Violations: JavaScript errors and hangs, with the seed that reproduces them. */
  faults: string[];
}

/** Pairs of adjacent opcodes, each as one number. */
function pairsOf(program: Program): number[] {
  return program.functions.flatMap((fn) => {
    const list = decodeAll(fn.code, fn.name);
    return list.slice(1).map(({ info }, i) => list[i].info.op * 256 + info.op);
  });
}

/** Decodes, verifies and runs the payload of one artefact. */
function judge(bytes: Uint8Array): { fate: Fate | 'damaged'; program: Program | null } {
  let program: Program;
  try {
    program = decodeProgram(bytes);
    verifyProgram(program);
  } catch (error) {
    if (error instanceof InvalidArtefact) return { fate: 'damaged', program: null };
    if (error instanceof InvalidBytecode) return { fate: 'refused', program: null };
    throw error;
  }
  return { fate: runForAWhile(program), program };
}

/** The shortest time of two more runs, in milliseconds of processor time: a busy machine must not look like a slow artefact. */
function secondTry(bytes: Uint8Array): number {
  let least = Infinity;
  for (let i = 0; i < 2; i++) {
    const before = process.cpuUsage();
    const start = performance.now();
    try {
      judge(bytes);
    } catch {
      // Recorded in the first run.
    }
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, performance.now() - start, (user + system) / 1000);
  }
  return least;
}

/** Milliseconds of processor time that the slowest artefact may take here: calls of large functions copy their frames. */
function bound(): number {
  const blank = new Array<null>(MAX_REGISTERS).fill(null);
  const before = process.cpuUsage();
  let frame = blank;
  for (let i = 0; i < FRAMES; i++) frame = frame.slice();
  const { user, system } = process.cpuUsage(before);
  return Math.max(MAX_MS, (MAX_RATIO * (user + system)) / 1000);
}

/**
 * Judges `count` mutants of artefacts: half are changed byte by byte, half part by part. All have a valid checksum, or
 * none would be decoded.
 */
export function fuzzSvcb(count: number, seed: number, told: (line: string) => void = () => {}): Findings {
  const random = new Random(seed);
  const corpus = seedPrograms();
  const seen = new Set(corpus.flatMap(pairsOf));
  const findings: Findings = {
    count,
    fates: { damaged: 0, refused: 0, ended: 0, failed: 0, running: 0 },
    pairs: 0,
    faults: [],
  };
  for (let n = 0; n < count; n++) {
    const base = random.pick(corpus);
    const bytes =
      random.below(2) === 0
        ? mutateBytes(random, encodeProgram(base, false))
        : encodeProgram(mutateStructure(random, base), false);
    const start = performance.now();
    try {
      const { fate, program } = judge(bytes);
      findings.fates[fate]++;
      const fresh = program === null ? [] : pairsOf(program).filter((pair) => !seen.has(pair));
      if (program !== null && fresh.length > 0 && corpus.length < MAX_CORPUS) corpus.push(program);
      for (const pair of fresh) seen.add(pair);
    } catch (error) {
      findings.faults.push(
        `mutant ${n} of seed ${seed}: ${error instanceof Error ? error.stack?.split('\n').slice(0, 4).join(' | ') : String(error)}`,
      );
    }
    const took = performance.now() - start > MAX_MS ? secondTry(bytes) : 0;
    if (took > MAX_MS && took > bound()) findings.faults.push(`mutant ${n} of seed ${seed}: ${took.toFixed(0)} ms`);
    if (n % 10_000 === 9999) told(`${n + 1} mutants, ${findings.faults.length} faults, ${seen.size} pairs of opcodes`);
  }
  findings.pairs = seen.size;
  return findings;
}
