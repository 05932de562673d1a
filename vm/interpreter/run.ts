/**
 * The interpreter loop. Rules:
 * - One activation per fiber slice. Svc calls push heap frames, so suspending costs nothing and JavaScript never
 *   recurses.
 * - Locals: `f` top frame; `fn code K R` its function, code, constants and registers; `pc` the running instruction; `d`
 *   the number of frames on the stack. `R` and `pc` are authoritative while `f` is on top; `f.pc` is written before
 *   anything that pushes, suspends or leaves.
 * - `pc` advances only after all effects of an instruction: if a helper throws, `pc` is the place of the error.
 * - Slow paths are functions outside, so that the loop's own V8 bytecode stays small enough to be optimised.
 * - An operator whose operands are too large for one step throws a `LongOperation`; its instruction then waits like a
 *   call.
 * - A call helper returns `undefined` if the callee needs a frame of its own (`vm.callee` is set) or the fiber must
 *   wait.
 * - Case labels come from a const enum, which compiles to integer literals.
 */
import { Op } from '../bytecode/generated/op.js';
import type { Engine } from './engine.js';
import { OperatorCall } from './ownoperators.js';
import { NO_VALUE } from '../fibers/fiber.js';
import { accessed, OTHER, RAN, seen } from './feedback.js';
import { type Activation, Frame } from '../fibers/frame.js';
import { enterCompiled, enterLoop } from './entercompiled.js';
import { type Iterator, PULL } from '../values/iterator.js';
import { markFrames, noteTrace } from '../traces/callsites.js';
import { weightOf } from './tier.js';
import { RecordValue, type RecordType } from '../values/structured.js';
import { Signal, SvcError } from '../values/error.js';
import { Out } from '../calls/sequence.js';
import { Closure, type NameList } from '../values/function.js';
import { Hash } from '../values/hash.js';
import { MAX_ELEMENTS } from '../values/limits.js';
import { ABSENT, Float, type Cell, type Value } from '../values/value.js';
import * as operators from './operators.js';
import * as slow from './operations.js';

/**
 * Runs frame `f` and those below it until the last one returns (its value) or the thread suspends (undefined, with its
 * frames in `vm.unwound`).
 * @param x value for the instruction at which `f` waits, or NO_VALUE
 * @param caught exception to throw there, or null
 * @param activation receives the top frame while compiled code runs above it
 * @throws an SvcError or Signal that no handler caught
 */
export function runFrames(vm: Engine, f: Frame, d: number, x: Value | undefined, caught: unknown, activation: Activation): Value | undefined {
  const { limits, tier, unwound } = vm;
  const bottom = f;
  let deliver = x !== NO_VALUE;
  let fn = f.fn;
  let code = fn.code;
  let K = fn.constants;
  let R = f.regs;
  let pc = f.pc;
  let operation: operators.LongOperation | OperatorCall | null = null;
  run: for (;;) {
    try {
      if (operation !== null) {
        const started = operation;
        operation = null;
        x = started instanceof OperatorCall ? started.start(vm) : vm.inPieces('compute', started.steps);
        if (x !== undefined) deliver = true;
        else if (vm.callee === null) return unwound.begin(f, bottom, d);
        else {
          f = vm.takeFrame(f, d);
          d++;
          if (--limits.fuel < 0) return unwound.begin(f, bottom, d);
        }
      }
      if (caught !== null) {
        const error = caught;
        caught = null;
        slow.rethrow(error);
      }
      reload: for (;;) {
        if (tier !== null && !deliver) {
          const g = f.parent;
          const loop = f.pc === 0 ? null : slow.loopCode(tier, f);
          // Compiled code has no room for a continuation when the stack is full.
          if (loop !== null || (f.pc === 0 && f !== unwound.interpreted && d <= vm.maxDepth && slow.isCompiled(tier, f.fn))) {
            // No handler of this frame covers pc −1: its compiled code has already run them.
            pc = -1;
            activation.frame = g;
            slow.limitDepth(vm, d - 1);
            x = loop === null ? enterCompiled(f.fn, f.self ?? slow.selfOf(f.fn), d, f.regs) : enterLoop(loop, f, d);
            if (x === undefined) return unwound.add(g, bottom);
            if (g === null) return x;
            d--;
            f = g;
            deliver = true;
          }
        }
        fn = f.fn;
        code = fn.code;
        K = fn.constants;
        R = f.regs;
        pc = f.pc;
        if (deliver) {
          deliver = false;
          pc = slow.finish(R, code, pc, x as Value);
        }
        for (;;) {
          const w = code[pc];
          const a = (w >>> 8) & 255;
          switch (w & 255) {
            case Op.LOADK: R[a] = K[code[pc + 1]]; pc += 2; break;
            case Op.LOADI: R[a] = w >> 16; pc++; break;
            case Op.LOADNIL: R[a] = null; pc++; break;
            case Op.LOADTRUE: R[a] = true; pc++; break;
            case Op.LOADFALSE: R[a] = false; pc++; break;
            case Op.ABSENT: R[a] = ABSENT; pc++; break;
            case Op.MOVE: R[a] = R[(w >>> 16) & 255]; pc++; break;
            case Op.MOVEW: { const u = code[pc + 1]; R[u & 0xffff] = R[u >>> 16]; pc += 2; break; }
            case Op.CAPTURE: R[a] = (f.self as Closure).captures[w >>> 16]; pc++; break;
            case Op.NEWCELL: R[a] = slow.newCell(R[(w >>> 16) & 255]); pc++; break;
            case Op.CELLGET: R[a] = (R[(w >>> 16) & 255] as Cell).value; pc++; break;
            case Op.CELLSET: (R[a] as Cell).value = R[(w >>> 16) & 255]; pc++; break;
            case Op.GETSLOT: R[a] = fn.slots[code[pc + 1]]; pc += 2; break;
            case Op.SETSLOT: fn.slots[code[pc + 1]] = R[a]; pc += 2; break;
            case Op.LOADNATIVE: R[a] = fn.natives[code[pc + 1]]; pc += 2; break;
            case Op.LOADTYPE: R[a] = fn.types[code[pc + 1]]; pc += 2; break;
            case Op.ADD: {
              const p = R[(w >>> 16) & 255], q = R[w >>> 24];
              let t: number, i: number;
              if (typeof p === 'number' && typeof q === 'number' && (i = (t = p + q) | 0) === t) R[a] = i;
              else {
                fn.feedback[pc] |= seen(p, q);
                R[a] = p instanceof Float && q instanceof Float ? new Float(p.n + q.n) : operators.add(p, q);
              }
              pc++;
              break;
            }
            case Op.SUB: {
              const p = R[(w >>> 16) & 255], q = R[w >>> 24];
              let t: number, i: number;
              if (typeof p === 'number' && typeof q === 'number' && (i = (t = p - q) | 0) === t) R[a] = i;
              else {
                fn.feedback[pc] |= seen(p, q);
                R[a] = p instanceof Float && q instanceof Float ? new Float(p.n - q.n) : operators.subtract(p, q);
              }
              pc++;
              break;
            }
            case Op.MUL: {
              const p = R[(w >>> 16) & 255], q = R[w >>> 24];
              let t: number, i: number;
              if (typeof p === 'number' && typeof q === 'number' && (i = (t = p * q) | 0) === t) R[a] = i;
              else {
                fn.feedback[pc] |= seen(p, q);
                R[a] = p instanceof Float && q instanceof Float ? new Float(p.n * q.n) : operators.multiply(p, q);
              }
              pc++;
              break;
            }
            case Op.DIV: {
              const p = R[(w >>> 16) & 255], q = R[w >>> 24];
              fn.feedback[pc] |= seen(p, q);
              R[a] = operators.divide(p, q);
              pc++;
              break;
            }
            case Op.IDIV: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; if (typeof p !== 'number' || typeof q !== 'number') fn.feedback[pc] |= OTHER; R[a] = operators.floorDivide(p, q); pc++; break; }
            case Op.MOD: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; if (typeof p !== 'number' || typeof q !== 'number') fn.feedback[pc] |= OTHER; R[a] = operators.modulo(p, q); pc++; break; }
            case Op.POW: R[a] = operators.power(R[(w >>> 16) & 255], R[w >>> 24]); pc++; break;
            case Op.ADDI: {
              const p = R[(w >>> 16) & 255], q = w >> 24;
              let t: number, i: number;
              if (typeof p === 'number' && (i = (t = p + q) | 0) === t) R[a] = i;
              else {
                fn.feedback[pc] |= seen(p, q);
                R[a] = operators.addImmediate(p, q);
              }
              pc++;
              break;
            }
            case Op.NEG: { const p = R[(w >>> 16) & 255]; fn.feedback[pc] |= seen(p, p); R[a] = operators.negate(p); pc++; break; }
            case Op.NOT: { const p = R[(w >>> 16) & 255]; R[a] = p === false || p === null; pc++; break; }
            case Op.LT: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p < q : (fn.feedback[pc] |= seen(p, q), operators.less(p, q)); pc++; break; }
            case Op.LE: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p <= q : (fn.feedback[pc] |= seen(p, q), operators.lessOrEqual(p, q)); pc++; break; }
            case Op.GT: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p > q : (fn.feedback[pc] |= seen(p, q), operators.greater(p, q)); pc++; break; }
            case Op.GE: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p >= q : (fn.feedback[pc] |= seen(p, q), operators.greaterOrEqual(p, q)); pc++; break; }
            case Op.EQ: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p === q : (fn.feedback[pc] |= OTHER, operators.equal(p, q)); pc++; break; }
            case Op.NE: { const p = R[(w >>> 16) & 255], q = R[w >>> 24]; R[a] = typeof p === 'number' && typeof q === 'number' ? p !== q : (fn.feedback[pc] |= OTHER, !operators.equal(p, q)); pc++; break; }
            case Op.COMPARE: R[a] = operators.order(R[(w >>> 16) & 255], R[w >>> 24]); pc++; break;
            case Op.MATCH: R[a] = operators.regexMatch(R[(w >>> 16) & 255], R[w >>> 24]); pc++; break;
            case Op.UNION: R[a] = operators.union(R[(w >>> 16) & 255], R[w >>> 24]); pc++; break;
            case Op.APPEND: {
              const list = R[(w >>> 16) & 255];
              if (Array.isArray(list) && list.length < MAX_ELEMENTS) { list.push(R[w >>> 24]); R[a] = list; pc++; break; }
              if (list instanceof Out) { operation = slow.giving(list, R[w >>> 24]); f.pc = pc; continue run; }
              R[a] = slow.append(list, R[w >>> 24]);
              pc++;
              break;
            }
            case Op.MATCHES: R[a] = operators.matches(R[(w >>> 16) & 255], R[w >>> 24]); pc++; break;
            case Op.JUMP: pc = code[pc + 1]; break;
            case Op.LOOPHEAD: pc += 2; break;
            case Op.LOOP: {
              const from = pc;
              pc = code[pc + 1];
              // Longer loop bodies use more fuel.
              if ((limits.fuel -= weightOf(from, pc)) < 0) {
                f.pc = pc;
                return unwound.begin(f, bottom, d);
              }
              if (tier !== null) {
                fn.feedback[pc] = RAN;
                if (++fn.turns > tier.turns) {
                  f.pc = pc;
                  continue reload;
                }
              }
              break;
            }
            case Op.JF: { const p = R[a]; if (p === false || p === null) pc = code[pc + 1]; else pc += 2; break; }
            case Op.JT: { const p = R[a]; if (p === false || p === null) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JNIL: if (R[a] === null) pc = code[pc + 1]; else pc += 2; break;
            case Op.JGIVEN: if (R[a] === ABSENT) pc += 2; else pc = code[pc + 1]; break;
            case Op.JNLT: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p < q : (fn.feedback[pc] |= seen(p, q), operators.less(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JNLE: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p <= q : (fn.feedback[pc] |= seen(p, q), operators.lessOrEqual(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JNGT: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p > q : (fn.feedback[pc] |= seen(p, q), operators.greater(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JNGE: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p >= q : (fn.feedback[pc] |= seen(p, q), operators.greaterOrEqual(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JNEQ: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p === q : (fn.feedback[pc] |= OTHER, operators.equal(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.JEQ: { const p = R[a], q = R[(w >>> 16) & 255]; if (typeof p === 'number' && typeof q === 'number' ? p === q : (fn.feedback[pc] |= OTHER, operators.equal(p, q))) pc = code[pc + 1]; else pc += 2; break; }
            case Op.JNLTI: { const p = R[a], q = w >> 16; if (typeof p === 'number' ? p < q : (fn.feedback[pc] |= seen(p, q), operators.less(p, q))) pc += 2; else pc = code[pc + 1]; break; }
            case Op.CALL: {
              const callee = fn.functions[code[pc + 1]];
              const regs = callee.blank.slice();
              const n = w >>> 24;
              if (n === 1) regs[0] = R[code[pc + 2] & 255];
              else for (let i = 0; i < n; i++) regs[i] = R[(code[pc + 2 + (i >> 2)] >>> ((i & 3) << 3)) & 255];
              f.pc = pc;
              if (tier !== null && slow.isCompiled(tier, callee)) {
                activation.frame = f;
                slow.limitDepth(vm, d);
                x = enterCompiled(callee, slow.selfOf(callee), d + 1, regs);
                if (x === undefined) return unwound.add(f, bottom);
                R[a] = x;
                pc += 2 + ((n + 3) >> 2);
                break;
              }
              if (++d > vm.maxDepth) { d--; slow.stackOverflow(vm.maxDepth); }
              f = new Frame(f, callee, null, 0, regs);
              if (--limits.fuel < 0) return unwound.begin(f, bottom, d);
              fn = callee; code = fn.code; K = fn.constants; R = regs; pc = 0;
              break;
            }
            case Op.CALLV: {
              const callee = R[(w >>> 16) & 255];
              const n = w >>> 24;
              if (callee instanceof Closure && callee.entry.arity === n) {
                const regs = callee.fn.blank.slice();
                for (let i = 0; i < n; i++) regs[i] = R[(code[pc + 1 + (i >> 2)] >>> ((i & 3) << 3)) & 255];
                f.pc = pc;
                if (tier !== null && slow.isCompiled(tier, callee.fn)) {
                  activation.frame = f;
                  slow.limitDepth(vm, d);
                  x = enterCompiled(callee.fn, callee, d + 1, regs);
                  if (x === undefined) return unwound.add(f, bottom);
                  R[a] = x;
                  pc += 1 + ((n + 3) >> 2);
                  break;
                }
                if (++d > vm.maxDepth) { d--; slow.stackOverflow(vm.maxDepth); }
                f = new Frame(f, callee.fn, callee, 0, regs);
                if (--limits.fuel < 0) return unwound.begin(f, bottom, d);
                fn = callee.fn; code = fn.code; K = fn.constants; R = regs; pc = 0;
                break;
              }
              f.pc = pc;
              x = vm.invoke(callee, slow.readArgs(R, code, pc + 1, n), null);
              if (x === undefined) {
                if (vm.callee !== null) { f = vm.takeFrame(f, d); d++; if (--limits.fuel >= 0) continue reload; }
                return unwound.begin(f, bottom, d);
              }
              R[a] = x;
              pc += 1 + ((n + 3) >> 2);
              break;
            }
            case Op.CALLN: case Op.APPLY: case Op.NATIVE: case Op.CALLMN: case Op.APPLYM: {
              f.pc = pc;
              vm.topFrame = f;
              x = slow.call(vm, fn, R, pc, w);
              if (x === undefined) {
                if (vm.callee !== null) { f = vm.takeFrame(f, d); d++; if (--limits.fuel >= 0) continue reload; }
                return unwound.begin(f, bottom, d);
              }
              R[a] = x;
              pc += slow.lengthAt(code, pc);
              break;
            }
            case Op.GETF: case Op.CALLM: {
              const h = R[(w >>> 16) & 255];
              const cache = fn.caches[pc];
              let n = w >>> 24;
              if ((w & 255) === Op.GETF) {
                n = 0;
                if (cache !== undefined) {
                  if (h instanceof Hash) {
                    if (h.shape === cache.shape && !cache.ofRecord) { R[a] = h.slots[cache.slot]; pc += 2; break; }
                  } else if (h instanceof RecordValue && h.layout === cache.shape) { R[a] = h.at(cache.slot); pc += 2; break; }
                }
              }
              f.pc = pc;
              const method = !(h instanceof RecordValue) ? null : cache !== undefined && cache.recordType === h.type ? cache.method : slow.plainMethod(fn, pc, h, n);
              if (method !== null && (tier === null || !slow.isCompiled(tier, method.fn))) {
                const regs = method.fn.blank.slice();
                regs[0] = h;
                for (let i = 0; i < n; i++) regs[i + 1] = R[(code[pc + 2 + (i >> 2)] >>> ((i & 3) << 3)) & 255];
                if (++d > vm.maxDepth) { d--; slow.stackOverflow(vm.maxDepth); }
                f = new Frame(f, method.fn, method, 0, regs);
                if (--limits.fuel < 0) return unwound.begin(f, bottom, d);
                fn = method.fn; code = fn.code; K = fn.constants; R = regs; pc = 0;
                break;
              }
              vm.topFrame = f;
              x = slow.call(vm, fn, R, pc, w);
              if (x === undefined) {
                if (vm.callee !== null) { f = vm.takeFrame(f, d); d++; if (--limits.fuel >= 0) continue reload; }
                return unwound.begin(f, bottom, d);
              }
              R[a] = x;
              pc += 2 + ((n + 3) >> 2);
              break;
            }
            case Op.SETF: {
              const h = R[a];
              const cache = fn.caches[pc];
              if (cache !== undefined && h instanceof RecordValue && h.layout === cache.shape) h.store(cache.slot, R[(w >>> 16) & 255]);
              else slow.setField(vm, fn, pc, h, K[code[pc + 1]] as string, R[(w >>> 16) & 255]);
              pc += 2;
              break;
            }
            case Op.INDEX: {
              const v = R[(w >>> 16) & 255], i = R[w >>> 24];
              if (typeof i === 'number' && Array.isArray(v) && i >>> 0 === i && i < v.length) { R[a] = v[i]; pc++; break; }
              f.pc = pc;
              fn.feedback[pc] |= accessed(v, i);
              x = vm.index(v, i);
              if (x === undefined) {
                if (vm.callee !== null) { f = vm.takeFrame(f, d); d++; if (--limits.fuel >= 0) continue reload; }
                return unwound.begin(f, bottom, d);
              }
              R[a] = x;
              pc++;
              break;
            }
            case Op.SETINDEX: {
              const v = R[a], i = R[(w >>> 16) & 255];
              if (typeof i === 'number' && Array.isArray(v) && i >>> 0 === i && i < v.length) v[i] = R[w >>> 24];
              else { fn.feedback[pc] |= accessed(v, i); vm.setIndex(v, i, R[w >>> 24]); }
              pc++;
              break;
            }
            case Op.RETURN: {
              x = R[a];
              const g = f.parent;
              if (g === null) return x;
              d--;
              f = g; fn = f.fn; code = fn.code; K = fn.constants; R = f.regs; pc = f.pc;
              const u = code[pc];
              // Nearly all returns go to a call of a function or method.
              if ((u & 255) === Op.CALL || (u & 255) === Op.CALLM) { R[(u >>> 8) & 255] = x; pc += 2 + (((u >>> 24) + 3) >> 2); }
              else pc = slow.finish(R, code, pc, x);
              break;
            }
            case Op.THROW: return slow.raise(R[a]);
            case Op.RETHROW: return slow.rethrow(R[a]);
            case Op.CATCH: R[a] = slow.caughtValue(vm, R[a], (w >>> 16) & 255); pc++; break;
            case Op.CLOSURE: {
              const n = w >>> 24;
              const target = fn.functions[code[pc + 1]];
              R[a] = n === 0 ? (target.self ??= new Closure(target, [])) : new Closure(target, slow.readArgs(R, code, pc + 2, n));
              pc += 2 + ((n + 3) >> 2);
              break;
            }
            case Op.VECTOR: { const n = w >>> 24; R[a] = slow.readArgs(R, code, pc + 1, n); pc += 1 + ((n + 3) >> 2); break; }
            case Op.VPUSH: (R[a] as Value[]).push(R[(w >>> 16) & 255]); pc++; break;
            case Op.VEXTEND: operators.extend(R[a] as Value[], R[(w >>> 16) & 255]); pc++; break;
            case Op.HASH: {
              const n = w >>> 24;
              const keys = K[code[pc + 1]] as NameList;
              const values = slow.readArgs(R, code, pc + 2, n);
              R[a] = keys.shape !== null ? new Hash(keys.shape, values) : slow.newHash(keys, values);
              pc += 2 + ((n + 3) >> 2);
              break;
            }
            case Op.HMERGE: operators.mergeInto(R[a] as Hash, R[(w >>> 16) & 255]); pc++; break;
            case Op.RANGE: R[a] = slow.newRange(R[(w >>> 16) & 255], R[w >>> 24], false); pc++; break;
            case Op.RANGEX: R[a] = slow.newRange(R[(w >>> 16) & 255], R[w >>> 24], true); pc++; break;
            case Op.CONCAT: { const n = w >>> 24; R[a] = operators.interpolate(slow.readArgs(R, code, pc + 1, n)); pc += 1 + ((n + 3) >> 2); break; }
            case Op.NEWREC: {
              const n = w >>> 24;
              const type = fn.types[code[pc + 1]] as RecordType;
              R[a] = slow.newRecord(type, slow.readArgs(R, code, pc + 2, n));
              pc += 2 + ((n + 3) >> 2);
              break;
            }
            case Op.ITER: R[a] = slow.iterator(fn, pc, R[(w >>> 16) & 255], w >>> 24, K[code[pc + 1]] as string); pc += 2; break;
            case Op.NEXT: {
              const item = (R[(w >>> 16) & 255] as Iterator).next();
              if (item === undefined) { pc = code[pc + 1]; break; }
              if (item === PULL) { operation = slow.pulling(R[(w >>> 16) & 255]); f.pc = pc; continue run; }
              R[a] = item;
              pc += 2;
              break;
            }
            case Op.NEXT2: {
              const item = (R[w >>> 24] as Iterator).next();
              if (item === undefined) { pc = code[pc + 1]; break; }
              if (item === PULL) { operation = slow.pulling(R[w >>> 24]); f.pc = pc; continue run; }
              R[a] = slow.itemAt(item, 0);
              R[(w >>> 16) & 255] = slow.itemAt(item, 1);
              pc += 2;
              break;
            }
            case Op.ITEM: R[a] = slow.itemAt(R[(w >>> 16) & 255], w >>> 24); pc++; break;
            case Op.REST: R[a] = operators.restOf(R[(w >>> 16) & 255], w >>> 24, code[pc + 1]); pc += 2; break;
            case Op.ITEMEND: R[a] = slow.itemBehindRest(R[(w >>> 16) & 255], w >>> 24, code[pc + 1]); pc += 2; break;
            default: slow.unknownOpcode(w & 255, pc, fn);
          }
        }
      }
    } catch (error) {
      if (error instanceof operators.LongOperation || error instanceof OperatorCall) {
        operation = error;
        f.pc = pc;
        continue;
      }
      const isError = error instanceof SvcError;
      if (!isError && !(error instanceof Signal)) slow.rethrow(error);
      if (isError) noteTrace(error, vm.handling, pc < 0 ? f.parent : f, pc < 0 ? (f.parent?.pc ?? 0) : pc);
      for (;;) {
        const handler = slow.findHandler(f.fn, pc, isError);
        if (handler >= 0) {
          f.pc = handler;
          f.regs[(f.fn.code[handler] >>> 8) & 255] = error;
          break;
        }
        if (f.parent === null) slow.rethrow(error);
        f = f.parent;
        d--;
        pc = f.pc;
      }
      deliver = false;
    }
  }
}

markFrames(runFrames, 'interpreter');
