import { Internal, type Value } from './value.js';

/** A built-in error type (docs/language.md, "Errors") or one declared by `error Name < Parent`. */
export class ErrorType {
  constructor(
    readonly name: string,
    readonly parent: ErrorType | null,
  ) {}

  /** Whether this type is `ancestor` or derives from it. */
  is(ancestor: ErrorType): boolean {
    for (let type: ErrorType | null = this; type !== null; type = type.parent) if (type === ancestor) return true;
    return false;
  }
}

/** One line of a backtrace. */
export interface TraceLine {
  name: string;
  file: string;
  line: number;
  column: number;
}

/** What a nil was in the instruction that failed: the receiver of a method, an operand … */
export type NilUse = 'receiver' | 'indexed' | 'called' | 'left' | 'right' | 'iterated';

/** How a nil caused an error. `name` is that of the method that was called, or empty. */
export interface NilCause {
  readonly use: NilUse;
  readonly name: string;
}

/** An error as programs see it. `trace` is null until the interpreter has caught the error for the first time. */
export class ErrorValue {
  trace: TraceLine[] | null = null;
  cause: ErrorValue | null = null;
  /** Further attributes, such as the code of a database; null if there are none. */
  details: Readonly<Record<string, Value>> | null = null;
  private text: string;

  /** @param nil how a nil caused the error, if one did */
  constructor(
    readonly type: ErrorType,
    message: string,
    public nil: NilCause | null = null,
  ) {
    this.text = message;
  }

  get message(): string {
    return this.text;
  }

  /** Adds the expression that was nil, once it is known where the error was raised. */
  explain(reason: string): void {
    if (reason !== '') this.text += `: ${reason}`;
  }

  /**
   * Sets the cause: this error was raised while `cause` was being handled. Does nothing if a cause is already set or if
   * this error is itself in the chain of `cause`. The oldest causes of a long chain are dropped, so that a program that
   * raises repeatedly does not retain every error.
   */
  causedBy(cause: ErrorValue): void {
    if (this.cause !== null) return;
    let last = cause;
    for (let count = 1; last !== this && last.cause !== null; count++) {
      if (count === MAX_CAUSES) last.cause = null;
      else last = last.cause;
    }
    if (last !== this) this.cause = cause;
  }
}

/** Longest chain of causes. */
const MAX_CAUSES = 32;

/** Records the place where an error is raised: what is on the stack below the given constructor. */
type Capture = (above: typeof SvcError) => unknown;

let sitesOf: Capture | null = null;

/** Sets the function that records the place where an error is raised; null switches recording off. */
export function onRaise(capture: Capture | null): void {
  sitesOf = capture;
}

/** The JavaScript exception that carries an error through natives, the interpreter and compiled code. Has no JavaScript stack. */
export class SvcError extends Internal {
  /** Frames of compiled code on the JavaScript stack at the raise; they no longer exist when the error is caught. */
  readonly sites: unknown;

  constructor(readonly value: ErrorValue) {
    super();
    this.sites = sitesOf === null || value.trace !== null ? null : sitesOf(SvcError);
  }
}

/**
 * Unwinds a fiber without being an error: `rescue` does not see it, `ensure` runs. `halt` carries a response to its
 * layer, `cancel` ends the fiber, `exit` ends the program, `deadline` ends the `timeout` block that owns it, `memory`
 * ends the fiber with the error it carries, `close` ends a coroutine, `break` ends the call that a block was given to.
 */
export class Signal extends Internal {
  constructor(
    readonly kind: 'halt' | 'cancel' | 'exit' | 'deadline' | 'memory' | 'close' | 'break',
    readonly payload: Value,
  ) {
    super();
  }
}

/** Whether `exit` has ended a thread, which ends the program. */
export function isExit(thrown: unknown): thrown is Signal {
  return thrown instanceof Signal && thrown.kind === 'exit';
}

/** Unwinds to the call with this mark, whose value is then the payload. */
export class BreakSignal extends Signal {
  constructor(
    readonly mark: number,
    value: Value,
  ) {
    super('break', value);
  }
}

const types = new Map<string, ErrorType>();

function define(name: string, parent: ErrorType | null): ErrorType {
  const type = new ErrorType(name, parent);
  types.set(name, type);
  return type;
}

const root = define('Error', null);
const io = define('IOError', root);
const runtime = define('RuntimeError', root);
const database = define('DatabaseError', io);

/** The built-in error types. */
export const Errors = {
  Error: root,
  RuntimeError: runtime,
  /** Raised by a failed assertion. */
  AssertionError: define('AssertionError', runtime),
  TypeError: define('TypeError', root),
  ArgumentError: define('ArgumentError', root),
  ValueError: define('ValueError', root),
  ZeroDivisionError: define('ZeroDivisionError', root),
  IndexError: define('IndexError', root),
  /** Raised by `next` of a sequence at its end; ends a `loop`. */
  StopIteration: define('StopIteration', root),
  KeyError: define('KeyError', root),
  NameError: define('NameError', root),
  /** Raised by `case … in` when no pattern fits. */
  NoMatchError: define('NoMatchError', root),
  AttributeError: define('AttributeError', root),
  OverflowError: define('OverflowError', root),
  StackError: define('StackError', root),
  MemoryError: define('MemoryError', root),
  IOError: io,
  FileNotFoundError: define('FileNotFoundError', io),
  ConnectionError: define('ConnectionError', io),
  TimeoutError: define('TimeoutError', io),
  /** Raised for a lock that was not obtained in time, or was lost while its block ran. */
  LockError: define('LockError', io),
  /** Raised by a database that refuses a statement. */
  DatabaseError: database,
  /** Raised for a row that violates a rule of its table. */
  ConstraintError: define('ConstraintError', database),
  /** Raised for a transaction that may succeed when it runs again. */
  SerializationError: define('SerializationError', database),
  /** Raised for a JSON Web Token that is not valid. */
  JwtError: define('JwtError', root),
  /** Raised for a mail that could not be handed to the mail server. */
  MailError: define('MailError', io),
  /** Raised for a login with an OpenID provider that failed. */
  OidcError: define('OidcError', root),
};

/** Names of error types in other languages. */
const ALIASES: Readonly<Record<string, ErrorType>> = {
  Exception: root,
  StandardError: root,
  NoMethodError: Errors.AttributeError,
  ReferenceError: Errors.NameError,
  RangeError: Errors.ValueError,
  UnicodeError: Errors.ValueError,
  SystemStackError: Errors.StackError,
  RecursionError: Errors.StackError,
  NoMemoryError: Errors.MemoryError,
  OSError: Errors.IOError,
  NoMatchingPatternError: Errors.NoMatchError,
};
for (const [name, type] of Object.entries(ALIASES)) types.set(name, type);

/** Built-in error type by name, also by those of other languages. */
export function builtinErrorType(name: string): ErrorType | undefined {
  return types.get(name);
}

/** Names of all built-in error types. */
export function builtinErrorNames(): string[] {
  return [...types.keys()];
}

/** An error of the language, to be thrown or handed to a thread. */
export function errorOf(type: ErrorType, message: string): SvcError {
  return new SvcError(new ErrorValue(type, message));
}

/** Raises a Svc error. */
export function fail(type: ErrorType, message: string): never {
  throw errorOf(type, message);
}

/** Raises a Svc error whose message is completed with the expression that was nil, if `use` says that one was. */
export function failForNil(type: ErrorType, message: string, use: NilUse | null, name = ''): never {
  throw new SvcError(new ErrorValue(type, message, use === null ? null : { use, name }));
}

/** Which of two operands is nil. */
export function nilOperand(a: unknown, b: unknown): NilUse | null {
  return a === null ? 'left' : b === null ? 'right' : null;
}
