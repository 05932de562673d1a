/**
 * The opcode table, the only place that declares instructions. The `Op` enum, the encoder's checks, the disassembler,
 * the verifier, register liveness and docs/bytecode.md are all derived from it.
 *
 * An instruction is one 32-bit word `op | A << 8 | B << 16 | C << 24`, followed by its extra words, followed by its
 * argument registers, four per word. Numbers are never reused: a retired opcode leaves a gap.
 */

/**
 * Use of the operand bytes A, B, C, one letter each: `d` register written, `s` register read, `i` signed byte, `u`
 * unsigned byte, `n` argument count, `I` signed 16-bit number in B and C, `U` unsigned 16-bit number in B and C, `.`
 * unused.
 */
export type Roles = string;

/**
 * Extra words, one letter each: `K` constant, `S` constant that is a list of names, `J` jump target, `E` end of the
 * loop, `F` function, `N` native, `G` module slot, `T` declared type, `W` plain number, `X` two wide registers
 * (written | read << 16), `*` argument registers (always last).
 */
export type Extras = string;

export interface OpcodeInfo {
  readonly op: number;
  readonly name: string;
  readonly roles: Roles;
  readonly extras: Extras;
  /** Can raise an error that a handler of the same function may catch. */
  readonly raises: boolean;
  /** Can suspend the fiber; a waiting frame keeps the address of this instruction. */
  readonly suspends: boolean;
  /** Control never continues at the following instruction. */
  readonly ends: boolean;
  /** Cannot write a field of a record, directly or through a call. */
  readonly keepsFields: boolean;
  readonly doc: string;
}

type Row = readonly [op: number, name: string, roles: Roles, extras: Extras, flags: string, doc: string];

/** Flags: `r` raises, `u` suspends, `x` ends, `k` keeps fields. */
const ROWS: readonly Row[] = [
  // Loads and moves
  [1, 'LOADK', 'd..', 'K', 'k', 'A = constant K'],
  [2, 'LOADI', 'dI.', '', 'k', 'A = the Integer BC'],
  [3, 'LOADNIL', 'd..', '', 'k', 'A = nil'],
  [4, 'LOADTRUE', 'd..', '', 'k', 'A = true'],
  [5, 'LOADFALSE', 'd..', '', 'k', 'A = false'],
  [6, 'ABSENT', 'd..', '', '', 'A = the marker of an argument that was not given'],
  [7, 'MOVE', 'ds.', '', 'k', 'A = B'],
  [8, 'MOVEW', '...', 'X', 'k', 'Copies a register to another; the only instruction that reaches registers above 255'],
  [9, 'CAPTURE', 'dU.', '', '', 'A = captured value number BC of the running closure'],
  [10, 'NEWCELL', 'ds.', '', '', 'A = a new cell with the value B'],
  [11, 'CELLGET', 'ds.', '', '', 'A = the value in cell B'],
  [12, 'CELLSET', 'ss.', '', '', 'Stores B in cell A'],
  [13, 'GETSLOT', 'd..', 'G', '', 'A = module slot G'],
  [14, 'SETSLOT', 's..', 'G', '', 'Module slot G = A'],
  [15, 'LOADNATIVE', 'd..', 'N', 'k', 'A = the native function, built-in type or constant N as a value'],
  [16, 'LOADTYPE', 'd..', 'T', 'k', 'A = record, enum or error type T of this program'],
  // Arithmetic and comparison
  [20, 'ADD', 'dss', '', 'rk', 'A = B + C'],
  [21, 'SUB', 'dss', '', 'rk', 'A = B - C'],
  [22, 'MUL', 'dss', '', 'rk', 'A = B * C'],
  [23, 'DIV', 'dss', '', 'rk', 'A = B / C, always a Float for numbers'],
  [24, 'IDIV', 'dss', '', 'rk', 'A = B // C'],
  [25, 'MOD', 'dss', '', 'rk', 'A = B % C'],
  [26, 'POW', 'dss', '', 'r', 'A = B ** C'],
  [27, 'ADDI', 'dsi', '', 'rk', 'A = B + the Integer C'],
  [28, 'NEG', 'ds.', '', 'rk', 'A = -B'],
  [29, 'NOT', 'ds.', '', 'k', 'A = true if B is nil or false, else false'],
  [30, 'LT', 'dss', '', 'rk', 'A = B < C'],
  [31, 'LE', 'dss', '', 'rk', 'A = B <= C'],
  [32, 'GT', 'dss', '', 'rk', 'A = B > C'],
  [33, 'GE', 'dss', '', 'rk', 'A = B >= C'],
  [34, 'EQ', 'dss', '', 'rk', 'A = B == C, structural'],
  [35, 'NE', 'dss', '', 'rk', 'A = B != C'],
  [36, 'COMPARE', 'dss', '', 'r', 'A = -1, 0 or 1 as B is less than, equal to or greater than C'],
  [37, 'MATCH', 'dss', '', 'r', 'A = the index of the first match of B =~ C (a regex and a text), or nil'],
  [38, 'UNION', 'dss', '', 'r', 'A = B | C: hashes merged, vectors united'],
  [39, 'APPEND', 'dss', '', 'r', 'Appends C to vector B; A = B'],
  [40, 'MATCHES', 'dss', '', 'r', 'A = whether value C matches the pattern B of a `when` or `rescue`'],
  // Control flow
  [50, 'JUMP', '...', 'J', 'xk', 'Goes to J, forward only'],
  [51, 'LOOP', '...', 'J', 'xu', 'Goes back to the LOOPHEAD at J: the only backward jump, and a safepoint'],
  [52, 'LOOPHEAD', '...', 'E', '', 'Opens the loop region that ends at E'],
  [53, 'JF', 's..', 'J', 'k', 'Goes to J when A is nil or false'],
  [54, 'JT', 's..', 'J', 'k', 'Goes to J unless A is nil or false'],
  [55, 'JNIL', 's..', 'J', 'k', 'Goes to J when A is nil'],
  [56, 'JGIVEN', 's..', 'J', 'k', 'Goes to J when argument A was given'],
  [57, 'JNLT', 'ss.', 'J', 'rk', 'Goes to J unless A < B'],
  [58, 'JNLE', 'ss.', 'J', 'rk', 'Goes to J unless A <= B'],
  [59, 'JNGT', 'ss.', 'J', 'rk', 'Goes to J unless A > B'],
  [60, 'JNGE', 'ss.', 'J', 'rk', 'Goes to J unless A >= B'],
  [61, 'JNEQ', 'ss.', 'J', 'rk', 'Goes to J unless A == B'],
  [62, 'JEQ', 'ss.', 'J', 'rk', 'Goes to J when A == B'],
  [63, 'JNLTI', 'sI.', 'J', 'rk', 'Goes to J unless A < the Integer BC'],
  // Calls
  [70, 'CALL', 'd.n', 'F*', 'ru', 'A = function F called with one argument per parameter, absent ones marked'],
  [71, 'CALLV', 'dsn', '*', 'ru', 'A = value B called with positional arguments'],
  [72, 'CALLN', 'dsn', 'S*', 'ru', 'A = value B called; S names the last arguments, `&` is the block'],
  [73, 'APPLY', 'd.n', '*', 'ru', 'A = the first argument called with the vector in the second and the hash of named arguments (or nil) in the third'],
  [74, 'NATIVE', 'd.n', 'N*', 'ru', 'A = native function N called with positional arguments'],
  [75, 'CALLM', 'dsn', 'K*', 'ru', 'A = method K of B called with positional arguments'],
  [76, 'CALLMN', 'dsn', 'KS*', 'ru', 'A = method K of B called; S names the last arguments, `&` is the block'],
  [77, 'APPLYM', 'd.n', 'K*', 'ru', 'A = method K of the first argument, called like APPLY'],
  [78, 'GETF', 'ds.', 'K', 'ru', 'A = field K of B, or its method K called without arguments'],
  [79, 'SETF', 'ss.', 'K', 'ru', 'Field K of A = B'],
  [80, 'INDEX', 'dss', '', 'ru', 'A = B[C]'],
  [81, 'SETINDEX', 'sss', '', 'ru', 'A[B] = C'],
  [82, 'RETURN', 's..', '', 'x', 'Returns A to the caller'],
  [83, 'THROW', 's..', '', 'rx', 'Raises A: an error, an error type, or a text'],
  [84, 'RETHROW', 's..', '', 'rx', 'Continues unwinding with the exception that a CATCH kept in A'],
  [85, 'CATCH', 'du.', '', '', 'Start of a handler: A = the error (B = 0), or the exception for RETHROW (B = 1)'],
  // Construction
  [90, 'CLOSURE', 'd.n', 'F*', '', 'A = closure of function F over the argument registers'],
  [91, 'VECTOR', 'd.n', '*', '', 'A = a new vector of the arguments'],
  [92, 'VPUSH', 'ss.', '', '', 'Appends B to the vector under construction A'],
  [93, 'VEXTEND', 'ss.', '', 'r', 'Appends all elements of B to the vector under construction A'],
  [94, 'HASH', 'd.n', 'S*', '', 'A = a new hash with the keys S and the arguments as values'],
  [95, 'HMERGE', 'ss.', '', 'r', 'Copies all pairs of B into the hash under construction A'],
  [96, 'RANGE', 'dss', '', 'r', 'A = B..C; a bound that is nil is missing'],
  [97, 'RANGEX', 'dss', '', 'r', 'A = B...C'],
  [98, 'CONCAT', 'd.n', '*', 'r', 'A = the texts of the arguments joined: string interpolation'],
  [99, 'NEWREC', 'd.n', 'T*', '', 'A = a record of type T with the arguments as fields'],
  // Iteration and destructuring
  [110, 'ITER', 'dsu', 'K', 'r', 'A = an iterator over B in mode C; K is the method name for error messages'],
  [111, 'NEXT', 'ds.', 'J', '', 'A = next element of iterator B, or goes to J at the end'],
  [112, 'NEXT2', 'dds', 'J', '', 'A, B = next element of iterator C, destructured, or goes to J at the end'],
  [113, 'ITEM', 'dsu', '', '', 'A = element C of B if B is a vector; else B if C = 0, nil if C > 0'],
  [114, 'REST', 'dsu', 'W', '', 'A = the elements of B starting at index C, without the last W'],
  [115, 'ITEMEND', 'dsu', 'W', '', 'A = element C of the part of B after a rest; W = elements before the rest | elements after it << 8'],
];

/** Modes of ITER. */
export const ITER_ITEMS = 0; // a hash yields [key, value] pairs
export const ITER_EACH = 1; // a hash yields its keys
export const ITER_COUNT = 2; // an Integer n yields 0 … n-1

function toInfo([op, name, roles, extras, flags, doc]: Row): OpcodeInfo {
  return { op, name, roles, extras, raises: flags.includes('r'), suspends: flags.includes('u'), ends: flags.includes('x'), keepsFields: flags.includes('k'), doc };
}

/** All opcodes in the order of the table. */
export const OPCODES: readonly OpcodeInfo[] = ROWS.map(toInfo);

/** Opcode by number; `undefined` where no opcode has that number. */
export const OPCODE_BY_NUMBER: readonly (OpcodeInfo | undefined)[] = (() => {
  const table = new Array<OpcodeInfo | undefined>(256).fill(undefined);
  for (const info of OPCODES) table[info.op] = info;
  return table;
})();
