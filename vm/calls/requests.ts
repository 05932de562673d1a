import { Encoder } from '../bytecode/encode.js';
import { Op } from '../bytecode/generated/op.js';
import { charge } from '../values/cost.js';
import { Errors, fail } from '../values/error.js';
import { NativeFunction, type Fn } from '../values/function.js';
import { END, type Iterator, PULL } from '../values/iterator.js';
import type { Value } from '../values/value.js';
import { type Link, linkOwn } from './ownprogram.js';
import type { Caller, PullIterator, Request, Requests } from './caller.js';

/** Requests that are answered without a return to the interpreter, so that other threads can run. */
const AT_ONCE = 100;

/** Units of fuel for an element that needs no code of the program. */
const ELEMENT = 2;

/** Passes requests to the VM and answers to the generator. */
class Dialogue {
  private request: Request | null = null;
  private result: Value = null;

  constructor(private readonly requests: Requests) {}

  /** Begins the current request; undefined means what it does for calls. */
  ask(vm: Caller): Value | undefined {
    const { request } = this;
    if (request === null) return null;
    return 'fn' in request ? vm.invoke(request.fn, request.args, null) : nextOf(vm, request);
  }

  /** Passes on the answer of the current request. Returns false after the last one. */
  answer(value: Value): boolean {
    let answer = value;
    for (let n = 0; ; n++) {
      const step = this.requests.next(answer);
      if (step.done === true) {
        this.result = step.value;
        return false;
      }
      this.request = step.value;
      if (n >= AT_ONCE || 'fn' in this.request) return true;
      const item = this.request.next();
      charge(ELEMENT);
      // An iterator that has to pull does so again when it is asked.
      if (item === PULL) return true;
      answer = item === undefined ? END : item;
    }
  }

  take(): Value {
    return this.result;
  }
}

function nextOf(vm: Caller, iterator: Iterator): Value | undefined {
  const item = iterator.next();
  if (item === undefined) return END;
  return item === PULL ? (iterator as PullIterator).pull(vm) : item;
}

function dialogueOf(value: unknown): Dialogue {
  return value instanceof Dialogue ? value : fail(Errors.TypeError, 'only a native makes requests');
}

/**
 * The function that runs a `Dialogue`, in register 0, as a loop in bytecode: a loop of continuations would need a frame
 * for each turn.
 */
export function requestsProgram(link: Link, globals: Map<string, Value>): Fn {
  const natives: Record<string, NativeFunction['impl']> = {
    '%ask': (vm: Caller, value: Value) => dialogueOf(value).ask(vm),
    '%answer': (_vm, value: Value, answer: Value) => dialogueOf(value).answer(answer),
    '%taken': (_vm, value: Value) => dialogueOf(value).take(),
  };
  for (const [name, impl] of Object.entries(natives))
    globals.set(name, new NativeFunction(name, name === '%answer' ? 'd: Any, v: Any' : 'd: Any', 'Any', '', impl));
  const encoder = new Encoder();
  const end = encoder.newLabel();
  const head = { at: encoder.pc, refs: [] };
  encoder.jump(Op.LOOPHEAD, end);
  encoder.emitList(Op.NATIVE, 1, [0], [0]);
  encoder.emitList(Op.NATIVE, 1, [0, 1], [1]);
  encoder.jump(Op.JF, end, 1);
  encoder.jump(Op.LOOP, head);
  encoder.bind(end);
  encoder.emitList(Op.NATIVE, 1, [0], [2]);
  encoder.emit(Op.RETURN, 1);
  return linkOwn(link, encoder, {
    name: 'requests',
    params: ['dialogue'],
    registers: 2,
    natives: Object.keys(natives),
  });
}

/** The argument of `requestsProgram`. */
export function dialogue(requests: Requests): Value {
  return new Dialogue(requests) as unknown as Value;
}
