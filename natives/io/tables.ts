import { finish } from '../../vm/values/steps.js';
import type { Value } from '../../vm/values/value.js';
import { isLarge } from '../../vm/values/weight.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { functions } from '../core/declare.js';
import { overText } from '../core/strings/stepwise.js';
import { wellFormed } from '../core/strings/wellformed.js';
import { csvSteps } from './csv.js';
import { csvTextSteps } from './csvtext.js';
import { namingFile } from './errors.js';
import { checkPath } from './files.js';
import { readPlainText } from './filetext.js';
import { replaceText } from './filewriting.js';
import { waitForOperation } from './waiting.js';

function read(vm: NativeContext, path: string, headers: boolean, sep: string): undefined {
  checkPath(path);
  return waitForOperation(vm, 'file', async (signal) => {
    const text = await readPlainText(vm, path, signal);
    return vm.laterInPieces(namingFile(path, csvSteps(text, headers, sep)), signal);
  });
}

/** Up to this number of rows, writing is done at once unless they are large. */
const MAX_ROWS_AT_ONCE = 200;

function isShort(rows: Value[]): boolean {
  return rows.length <= MAX_ROWS_AT_ONCE && !isLarge(rows);
}

function dump(vm: NativeContext, rows: Value[], headers: boolean | Value[], sep: string): Value | undefined {
  return isShort(rows)
    ? finish(csvTextSteps(rows, headers, sep))
    : vm.inPieces('CSV', csvTextSteps(rows.slice(), headers, sep));
}

/** Writes the rows that the vector holds now; later changes to it have no effect. */
function write(vm: NativeContext, path: string, rows: Value[], headers: boolean | Value[], sep: string): undefined {
  const steps = csvTextSteps(rows.slice(), headers, sep);
  const early = isShort(rows) ? finish(steps) : null;
  checkPath(path);
  return waitForOperation(vm, 'file', async (signal) => {
    const text = early ?? ((await vm.laterInPieces(steps, signal)) as string);
    await replaceText(vm, path, wellFormed(text), signal);
    return null;
  });
}

/** The CSV functions. */
// prettier-ignore
export const tables = functions([
  ['csv_parse', 'text: String, headers: Boolean = true, sep: String = ","', 'Vector', 'Rows of a CSV text: hashes keyed by the names in the first row, or vectors without headers; ValueError with the line when it is not valid.', (vm: NativeContext, text: string, headers: boolean, sep: string) => overText(vm, 'CSV', text, csvSteps(text, headers, sep))],
  ['csv_dump', 'rows: Vector, headers: Boolean|Vector = true, sep: String = ","', 'String', 'CSV text of hashes or vectors; `headers` omits the line of names (false) or names the columns.', dump],
  ['csv_read', 'path: String, headers: Boolean = true, sep: String = ","', 'Vector', 'Rows of a CSV file, as returned by csv_parse.', read],
  ['csv_write', 'path: String, rows: Vector, headers: Boolean|Vector = true, sep: String = ","', 'Nil', 'Writes rows to a file in the format of csv_dump.', write],
]);
