import type { Activation, Frame } from '../fibers/frame.js';
import { nilReason } from './nilreason.js';
import { linesOf, placesFrom, type Place } from './trace.js';
import { charge } from '../values/cost.js';
import { onRaise, type ErrorValue, type SvcError } from '../values/error.js';
import type { Fn } from '../values/function.js';

/** A compiled function: for each line of its source the bytecode address, −1 for lines without one. */
export interface CompiledCode {
  fn: Fn;
  pcs: readonly number[];
}

/** Code on the JavaScript stack while a thread runs. */
export class RunningCode {
  /** The innermost activation of the interpreter. Not an array: one that is emptied after each slice is made anew. */
  activation: Activation | null = null;
  /** Compiled functions by the URL of their source. */
  readonly compiled = new Map<string, CompiledCode>();
}

/**
 * Activations on the JavaScript stack: a place in compiled code, or null for the interpreter, whose activation covers a
 * chain of frames.
 */
interface Captured {
  sites: (Place | null)[];
  /** Top frames of the interpreter's activations, innermost first. */
  frames: (Frame | null)[];
}

/** A function or class on the JavaScript stack above the call sites that are read. */
type Innermost = NonNullable<Parameters<typeof Error.captureStackTrace>[1]>;

/** Prefix of the URLs of generated sources. */
export const URL_PREFIX = 'svc:';
/**
 * Functions of the VM by their meaning on the JavaScript stack. `thread`: the thread's code starts above it.
 * `interpreter`: an activation of the interpreter. `entry`: compiled code, called by the activation below it. `deopt`: the
 * interpreter continues the compiled code below it.
 */
type Landmark = 'thread' | 'interpreter' | 'deopt' | 'entry';
/** Landmarks by the names that their functions have on the stack. */
const landmarks = new Map<string | null, Landmark>();

/** States what a function of the VM means on the JavaScript stack. */
export function markFrames(fn: (...args: never[]) => unknown, as: Landmark): void {
  landmarks.set(fn.name, as);
}

/** Line number, from 1, at which the body of a `new Function` starts. */
const LINES_BEFORE = 3;
/**
 * Maximum number of call sites read: more than the JavaScript stack holds, because natives that recurse can be on top
 * of compiled code.
 */
const MAX_SITES = 100_000;
/** Maximum number of call sites read at first. */
const MOST_SITES_FIRST = 64;
/**
 * Number of call sites read at first for an error, as many as the last ones needed: V8 takes 0.2 µs and more for each,
 * and those below the compiled code that was called first are of no use.
 */
let sitesRead = MOST_SITES_FIRST;
/** Maximum number of call sites between a native and the compiled code that called it. */
const MAX_SITES_TO_NATIVE = 32;

/** Units charged for an error: its trace takes some microseconds, and more on a deep stack. */
const RAISE = 1000;

let running: RunningCode | null = null;

/** Sets the VM whose code runs now; returns the previous one. */
export function nowRunning(code: RunningCode | null): RunningCode | null {
  const before = running;
  running = code;
  return before;
}

/** Call sites below the function `above`, which raises an error, if compiled code is on the stack; else null. */
function capture(above: Innermost): Captured | null {
  if (running === null || running.compiled.size === 0) return null;
  const captured = capturedIn(callSites(sitesRead, above), running) ?? capturedIn(callSites(MAX_SITES, above), running);
  // For a single activation, the chain of its frames is sufficient.
  return captured !== null && (captured.frames.length > 1 || captured.sites.some((site) => site !== null))
    ? captured
    : null;
}

/** What is of interest among call sites; null if they end before the start of the thread because of `sitesRead`. */
function capturedIn(sites: readonly NodeJS.CallSite[], code: RunningCode): Captured | null {
  const captured: Captured = { sites: [], frames: [] };
  let { activation } = code;
  let isGivenUp = false;
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i];
    const compiled = codeOf(site, code);
    if (compiled !== undefined) {
      // If an activation was given up, the interpreter continues it.
      const place = isGivenUp ? null : placeOf(site, compiled);
      isGivenUp = false;
      if (place !== null) captured.sites.push(place);
      continue;
    }
    const landmark = landmarks.get(site.getFunctionName());
    if (landmark === 'deopt') isGivenUp = true;
    else if (landmark === 'interpreter') {
      captured.frames.push(activation?.frame ?? null);
      activation = activation?.outer ?? null;
      captured.sites.push(null);
    } else if (landmark === 'entry' && activation?.outer === null) {
      // The call sites below are those of the outermost activation and the scheduler. V8 takes longest for the interpreter's.
      captured.frames.push(activation.frame);
      captured.sites.push(null);
      noteSites(i + 1);
      return captured;
    } else if (landmark === 'thread') {
      noteSites(i + 1);
      return captured;
    }
  }
  return sites.length === sitesRead ? null : captured;
}

/** Adapts `sitesRead` to the call sites that an error needed. Alternating depths should not cause two reads. */
function noteSites(needed: number): void {
  if (needed < sitesRead) sitesRead--;
  else sitesRead = Math.min(needed, MOST_SITES_FIRST);
}

/**
 * The functions that the running thread and its callers are in, innermost first; null outside of threads. The
 * instructions of callers in compiled code are left at 0: reading them would take longer than the rest.
 */
export function runningPlaces(): Place[] | null {
  if (running === null) return null;
  const { compiled } = running;
  let { activation } = running;
  if (activation === null) return null;
  const places: Place[] = [];
  let isGivenUp = false;
  // Without compiled code there is one activation.
  for (const site of compiled.size === 0 ? [] : callSites(MAX_SITES)) {
    const code = codeOf(site, running);
    if (code !== undefined) {
      // The interpreter continues the activation that was left.
      if (!isGivenUp) places.push({ fn: code.fn, pc: places.length === 0 ? lineAddress(code, site) : 0 });
      isGivenUp = false;
      continue;
    }
    const landmark = landmarks.get(site.getFunctionName());
    if (landmark === 'thread') break;
    if (landmark === 'deopt') isGivenUp = true;
    else if (landmark === 'interpreter' && activation !== null) {
      addActivation(places, activation);
      activation = activation.outer;
    }
  }
  for (; activation !== null; activation = activation.outer) addActivation(places, activation);
  return places;
}

/** Adds the frames of an activation. Only the interpreter's copy for profiles notes its position. */
function addActivation(places: Place[], { frame, top, pc }: Activation): void {
  if (places.length > 0) {
    if (frame !== null) addChain(places, frame, frame.pc);
  } else if (top !== null) addChain(places, top, pc);
}

/** The address of a call site in compiled code; 0 where the function is entered. */
function lineAddress({ pcs }: CompiledCode, site: NodeJS.CallSite): number {
  return Math.max(0, pcs[(site.getLineNumber() ?? 0) - LINES_BEFORE] ?? 0);
}

/** Whether JavaScript is running below the `own` innermost functions, this one included. */
export function hasCallers(own: number): boolean {
  return callSites(own + 1).length > own;
}

/** The compiled function that a call site is in; undefined for other code. */
function codeOf(site: NodeJS.CallSite, { compiled }: RunningCode): CompiledCode | undefined {
  return compiled.get(site.getScriptNameOrSourceURL() ?? '');
}

/** The instruction of a call site in compiled code; null where it has none. */
function placeOf(site: NodeJS.CallSite, { fn, pcs }: CompiledCode): Place | null {
  const pc = pcs[(site.getLineNumber() ?? 0) - LINES_BEFORE] ?? -1;
  return pc < 0 ? null : { fn, pc };
}

/** The innermost call sites below the function `above`. */
function callSites(most: number, above: Innermost = callSites): NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = most;
    Error.prepareStackTrace = (_error, sites) => sites;
    Error.captureStackTrace(holder, above);
    return holder.stack ?? [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Makes errors record their call sites; called when the first function is compiled. */
export function watchErrors(): void {
  onRaise(capture);
}

/**
 * Records the trace of an error when it is first caught: by the interpreter at `pc` of frame `f`, or by compiled code
 * (`f` is null). Sets its cause to the error that the thread was handling.
 */
export function noteTrace(error: SvcError, handling: ErrorValue | null, f: Frame | null, pc: number): void {
  charge(RAISE);
  if (error.value.trace !== null) return;
  if (handling !== null) error.value.causedBy(handling);
  const captured = (error.sites as Captured | null) ?? (f === null ? capture(noteTrace) : null);
  const places = captured === null ? placesFrom(f, pc) : placesOf(captured, f, pc);
  error.value.trace = linesOf(places);
  const { nil } = error.value;
  const place = nil === null ? undefined : places.find(({ fn }) => fn.file !== '');
  if (nil !== null && place !== undefined) error.value.explain(nilReason(place.fn, place.pc, nil.use, nil.name));
}

function placesOf({ sites, frames }: Captured, f: Frame | null, pc: number): Place[] {
  const out: Place[] = [];
  let next = 0;
  sites.forEach((site, i) => {
    if (site !== null) {
      out.push(site);
      return;
    }
    const frame = frames[next++];
    // The innermost activation has not saved its position; the catching handler passes it.
    if (i === 0 && f !== null) addChain(out, f, pc);
    else if (frame !== null) addChain(out, frame, frame.pc);
  });
  return out;
}

function addChain(out: Place[], frame: Frame, pc: number): void {
  out.push({ fn: frame.fn, pc });
  for (let f = frame.parent; f !== null; f = f.parent) out.push({ fn: f.fn, pc: f.pc });
}

/** The innermost place in compiled code if compiled code called the native, else null. */
export function compiledPlace(): Place | null {
  if (running === null || running.compiled.size === 0) return null;
  for (const site of callSites(MAX_SITES_TO_NATIVE)) {
    if (landmarks.get(site.getFunctionName()) === 'interpreter') return null;
    const code = codeOf(site, running);
    const place = code === undefined ? null : placeOf(site, code);
    if (place !== null) return place;
  }
  return null;
}
