import type { Activation, Frame } from '../fibers/frame.js';
import { linesOf, traceOf, type Place } from './trace.js';
import { charge } from '../values/cost.js';
import { onRaise, type ErrorValue, type SvcError } from '../values/error.js';
import type { Fn } from '../values/function.js';

/** A compiled function: the bytecode address behind each line of its source, −1 for lines that belong to none. */
export interface CompiledCode {
  fn: Fn;
  pcs: readonly number[];
}

/** What stands on the JavaScript stack while a thread runs. */
export class RunningCode {
  /** Activations of the interpreter, innermost last. */
  readonly activations: Activation[] = [];
  /** Compiled functions by the URL of their source. */
  readonly compiled = new Map<string, CompiledCode>();
}

/** One activation: of compiled code, or (null) of the interpreter, which stands for a chain of frames. */
interface Captured {
  sites: (Place | null)[];
  /** Top frames of the interpreter's activations, innermost first. */
  frames: (Frame | null)[];
}

/** Begins the URLs of generated sources. */
export const URL_PREFIX = 'svc:';
/** `new Function` writes so many lines before the first of its body. */
const LINES_BEFORE = 3;
/** More than the JavaScript stack holds: natives that recurse can stand above what is looked for. */
const MOST_SITES = 100_000;
/** Between a native that asks where it was called and its caller lie fewer. */
const FEW_SITES = 32;

/** Charged for an error: its trace takes some microseconds, and more on a deep stack. */
const RAISE = 1000;

let running: RunningCode | null = null;

/** Says whose code runs from here on; gives what ran before. */
export function nowRunning(code: RunningCode | null): RunningCode | null {
  const before = running;
  running = code;
  return before;
}

/** Where an error is being made, when compiled code is on the stack. */
function capture(): Captured | null {
  if (running === null || running.compiled.size === 0) return null;
  const captured: Captured = { sites: [], frames: [] };
  let compiled = false;
  let isGivenUp = false;
  for (const site of callSites(MOST_SITES)) {
    const name = site.getFunctionName();
    if (name === 'runFiber') break;
    if (name === 'deopt') isGivenUp = true;
    else if (isGivenUp && isCompiled(site)) {
      // The interpreter goes on for it.
      isGivenUp = false;
      continue;
    }
    if (name === 'runFrames') {
      captured.frames.push(running.activations[running.activations.length - 1 - captured.frames.length].frame);
      captured.sites.push(null);
      continue;
    }
    const place = placeOf(site, running);
    if (place === null) continue;
    compiled = true;
    captured.sites.push(place);
  }
  // The chain of frames of a single activation is all there is.
  return compiled || captured.frames.length > 1 ? captured : null;
}

function isCompiled(site: NodeJS.CallSite): boolean {
  return site.getScriptNameOrSourceURL()?.startsWith(URL_PREFIX) === true;
}

/** The instruction that a call site of compiled code stands for; null for other code. */
function placeOf(site: NodeJS.CallSite, { compiled }: RunningCode): Place | null {
  const code = isCompiled(site) ? compiled.get(site.getScriptNameOrSourceURL() as string) : undefined;
  const pc = code?.pcs[(site.getLineNumber() ?? 0) - LINES_BEFORE] ?? -1;
  return code === undefined || pc < 0 ? null : { fn: code.fn, pc };
}

function callSites(most: number): NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = most;
    Error.prepareStackTrace = (_error, sites) => sites;
    Error.captureStackTrace(holder, callSites);
    return holder.stack ?? [];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** From the first compiled function on, errors note where they are made. */
export function watchErrors(): void {
  onRaise(capture);
}

/**
 * Notes where an error came from, the first time that it is caught: by the interpreter at `pc` of frame `f`, or (null) by compiled code. Its cause is the
 * error that the thread was handling.
 */
export function noteTrace(error: SvcError, handling: ErrorValue | null, f: Frame | null, pc: number): void {
  charge(RAISE);
  if (error.value.trace !== null) return;
  if (handling !== null) error.value.causedBy(handling);
  const captured = (error.sites as Captured | null) ?? (f === null ? capture() : null);
  error.value.trace = captured === null ? traceOf(f, pc) : linesOf(placesOf(captured, f, pc));
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
    // The innermost activation has not said where it is; its own handler knows.
    if (i === 0 && f !== null) addChain(out, f, pc);
    else if (frame !== null) addChain(out, frame, frame.pc);
  });
  return out;
}

function addChain(out: Place[], frame: Frame, pc: number): void {
  out.push({ fn: frame.fn, pc });
  for (let f = frame.parent; f !== null; f = f.parent) out.push({ fn: f.fn, pc: f.pc });
}

/** The innermost place in compiled code, if that is what runs; else null. */
export function compiledPlace(): Place | null {
  if (running === null || running.compiled.size === 0) return null;
  for (const site of callSites(FEW_SITES)) {
    if (site.getFunctionName() === 'runFrames') return null;
    const place = placeOf(site, running);
    if (place !== null) return place;
  }
  return null;
}
