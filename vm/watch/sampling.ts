import { Op } from '../bytecode/generated/op.js';
import { decodeAll } from '../bytecode/decode.js';
import { positionOf } from '../bytecode/program.js';
import type { Fiber } from '../fibers/fiber.js';
import { runNoting } from '../interpreter/generated/noting.js';
import { hasCallers, runningPlaces } from '../traces/callsites.js';
import { placesFrom, type Place } from '../traces/trace.js';
import { NativeFunction, type Fn } from '../values/function.js';
import { NO_SHAPE } from '../values/hash.js';
import type { Steps } from '../values/steps.js';
import type { Value } from '../values/value.js';
import type { VM } from '../vm.js';
import type { Profile, SampledFrame } from './profile.js';

/** The group of JavaScript that runs outside of threads, such as that of the web server. */
const OUTSIDE = '(outside of threads)';
/** Frames of a stack that are kept at its root and at its top; those between are left out. */
const KEPT = 200;
/** JavaScript functions that a sample itself has on the stack: `hasCallers`, `take`, its caller, and the request. */
const OWN_FUNCTIONS = 4;
/** Natives that connect others with the functions that they call. */
const CONNECTING: ReadonlySet<string> = new Set(['%done', '%failed', '%ask', '%answer', '%taken']);

const OMITTED: SampledFrame = { name: '(frames left out)', file: '', line: 0, kind: 'group' };

/** What a thread waits for, since when, and where. */
interface Wait {
  since: number;
  group: string;
  what: string;
  place: Place | null;
}

/**
 * Samples what a VM does. `take` is called at any moment while JavaScript runs, also in the middle of other functions:
 * it only reads the state of the VM.
 */
export class Sampler {
  /** Counts slices and pieces of long work: unchanged while the VM does nothing. */
  onActivity: () => void = () => {};
  private readonly frames = new Map<Fn, SampledFrame | null>();
  private readonly natives = new Map<string, SampledFrame>();
  /** Natives called by a function, by the address of the call. */
  private readonly calls = new WeakMap<Fn, Map<number, string>>();
  private readonly groups = new WeakMap<Fiber, string>();
  private readonly waits = new WeakMap<Fiber, Wait>();
  /** The thread whose long work runs. */
  private working: Fiber | null = null;

  /** @param labelOf the name of what a thread works for, such as a route; empty if it is only part of the program */
  constructor(
    private readonly vm: VM,
    readonly profile: Profile,
    private readonly labelOf: (fiber: Fiber) => string,
  ) {
    vm.interpret = runNoting;
    this.watchSlices();
    this.watchPieces();
  }

  private watchSlices(): void {
    const { vm } = this;
    const { scheduler } = vm;
    const run = vm.run.bind(vm);
    vm.run = (fiber) => {
      this.onActivity();
      this.waited(fiber);
      return run(fiber);
    };
    const { onSlice } = scheduler;
    scheduler.onSlice = (fiber) => {
      onSlice(fiber);
      if (fiber.state === 'waiting') this.waits.set(fiber, this.waitOf(fiber));
    };
  }

  /** Notes whose long work runs, while the thread itself waits for it. */
  private watchPieces(): void {
    const { vm } = this;
    const inPieces = vm.inPieces.bind(vm);
    vm.inPieces = (what, steps) => {
      const fiber = vm.scheduler.current;
      return inPieces(what, fiber === null ? steps : this.noted(steps, fiber));
    };
  }

  private noted(steps: Steps, fiber: Fiber): Steps {
    return {
      next: (): IteratorResult<void, Value> => {
        this.onActivity();
        const before = this.working;
        this.working = fiber;
        try {
          return steps.next();
        } finally {
          this.working = before;
        }
      },
    };
  }

  private waitOf(fiber: Fiber): Wait {
    const { frame } = fiber;
    let own = frame;
    while (own !== null && own.fn.file === '') own = own.parent;
    const place = own === null ? null : { fn: own.fn, pc: own.pc };
    return { since: this.vm.host.now(), group: this.groupOf(fiber, null), what: fiber.waitsFor, place };
  }

  private waited(fiber: Fiber): void {
    const wait = this.waits.get(fiber);
    if (wait === undefined) return;
    this.waits.delete(fiber);
    const { group, what, place } = wait;
    const where = place === null ? '' : `${place.fn.file}:${positionOf(place.fn, place.pc).line}`;
    this.profile.addWait(group, what, where, this.vm.host.now() - wait.since);
  }

  /** Adds the time of threads that still wait. */
  endWaits(): void {
    for (const fiber of this.vm.scheduler.live) {
      this.waited(fiber);
      if (fiber.state === 'waiting') this.waits.set(fiber, this.waitOf(fiber));
    }
  }

  /** Takes a sample that stands for `microseconds`. Returns whether anything ran. */
  take(microseconds: number): boolean {
    const fiber = this.vm.scheduler.current ?? this.working;
    if (fiber === null) {
      if (!hasCallers(OWN_FUNCTIONS)) return false;
      this.profile.add(OUTSIDE, [], 0, microseconds);
      return true;
    }
    const places = runningPlaces() ?? (fiber.frame === null ? [] : placesFrom(fiber.frame, fiber.frame.pc));
    const top = places.find(({ fn }) => this.frameOf(fn) !== null);
    const line = top === undefined ? 0 : positionOf(top.fn, top.pc).line;
    this.profile.add(this.groupOf(fiber, places), this.stackOf(places), line, microseconds);
    return true;
  }

  /** The functions of a stack, outermost first. */
  private stackOf(places: readonly Place[]): SampledFrame[] {
    const stack: SampledFrame[] = [];
    const leaf = places.length === 0 ? undefined : this.nativeAt(places[0]);
    for (let i = places.length - 1; i >= 0; i--) {
      if (i === places.length - 1 - KEPT && places.length > 2 * KEPT) {
        stack.push(OMITTED);
        i = KEPT;
        continue;
      }
      const frame = this.frameOf(places[i].fn);
      if (frame !== null) stack.push(frame);
    }
    if (leaf !== undefined) stack.push(leaf);
    return stack;
  }

  /** Null for functions that samples do not show. */
  private frameOf(fn: Fn): SampledFrame | null {
    let frame = this.frames.get(fn);
    if (frame === undefined) this.frames.set(fn, (frame = isOfVm(fn) ? null : newFrame(fn)));
    return frame;
  }

  /** The native that an instruction calls. */
  private nativeAt({ fn, pc }: Place): SampledFrame | undefined {
    let calls = this.calls.get(fn);
    if (calls === undefined) this.calls.set(fn, (calls = this.callsOf(fn)));
    const name = calls.get(pc);
    if (name === undefined || isField(fn, pc)) return undefined;
    let frame = this.natives.get(name);
    if (frame === undefined) this.natives.set(name, (frame = { name, file: '', line: 0, kind: 'native' }));
    return frame;
  }

  private callsOf(fn: Fn): Map<number, string> {
    const calls = new Map<number, string>();
    for (const { pc, info, extras } of decodeAll(fn.code, fn.name)) {
      const name = this.nativeName(fn, info.op, extras);
      if (name !== '' && !CONNECTING.has(name)) calls.set(pc, name.replace(/^%/, ''));
    }
    return calls;
  }

  private nativeName(fn: Fn, op: number, extras: Record<string, number>): string {
    if (op === Op.NATIVE) {
      const native = fn.natives[extras.N];
      return native instanceof NativeFunction ? native.name : '';
    }
    if (op !== Op.CALLM && op !== Op.CALLMN && op !== Op.APPLYM && op !== Op.GETF) return '';
    const name = String(fn.constants[extras.K]);
    const owners = [...this.vm.methods.byKind].filter(([, methods]) => methods.has(name)).map(([owner]) => owner);
    // A field of a hash is no native; methods of handles are in tables of their own.
    if (owners.length === 0) return op === Op.GETF ? '' : `.${name}`;
    return owners.length === 1 ? `${owners[0]}.${name}` : `.${name}`;
  }

  /** The name under which the samples of a thread are shown. */
  private groupOf(fiber: Fiber, places: readonly Place[] | null): string {
    let group = this.groups.get(fiber);
    if (group === undefined) {
      const label = this.labelOf(fiber);
      group = label === '' ? nameOf(fiber, places) : label;
      this.groups.set(fiber, group);
    }
    return group;
  }
}

/** `main`, or what started the thread and the place of its function. */
function nameOf(fiber: Fiber, places: readonly Place[] | null): string {
  if (fiber.name === 'main') return 'main';
  // Between the start of a slice and the entry of its code, the JavaScript stack has no place: the frame has it.
  const root =
    rootOf(places ?? []) ?? (fiber.frame === null ? undefined : rootOf(placesFrom(fiber.frame, fiber.frame.pc)));
  return root === undefined ? fiber.name : `${fiber.name} ${baseName(root.fn.file)}:${positionOf(root.fn, 0).line}`;
}

/** The outermost place in a file. */
function rootOf(places: readonly Place[]): Place | undefined {
  return places.findLast(({ fn }) => fn.file !== '');
}

/** Whether an instruction that looks like a method without arguments has read a field. */
function isField(fn: Fn, pc: number): boolean {
  return (fn.code[pc] & 255) === Op.GETF && (fn.caches[pc]?.shape ?? NO_SHAPE) !== NO_SHAPE;
}

function newFrame(fn: Fn): SampledFrame {
  const { file, kind } = fn;
  const { line } = positionOf(fn, 0);
  if (file === '') return { name: fn.name, file, line, kind: 'library' };
  return { name: kind === 'def' ? fn.name : `${fn.name} ${baseName(file)}:${line}`, file, line, kind: 'function' };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a function connects natives with the functions that they call. */
function isOfVm(fn: Fn): boolean {
  return fn.file === '' && fn.natives.some((value) => value instanceof NativeFunction && CONNECTING.has(value.name));
}
