import type { Value } from '../../vm/values/value.js';
import type { VM } from '../../vm/vm.js';
import { functions } from '../core/declare.js';
import { dumpCsv, parseCsv } from './csv.js';
import { inFile } from './errors.js';
import { checkPath } from './files.js';
import { readPlainText, replaceText } from './filetext.js';
import { waitFor } from './waiting.js';

function read(vm: VM, path: string, headers: boolean, sep: string): undefined {
  checkPath(path);
  return waitFor(vm, 'file', async (signal) => {
    const text = await readPlainText(path, signal);
    return inFile(path, () => parseCsv(text, headers, sep));
  });
}

function write(vm: VM, path: string, rows: Value[], headers: boolean | Value[], sep: string): undefined {
  const text = dumpCsv(rows, headers, sep);
  checkPath(path);
  return waitFor(vm, 'file', (signal) => replaceText(path, text, signal).then(() => null));
}

/** The CSV functions. */
export const tables = functions([
  ['csv_parse', 'text: String, headers: Boolean = true, sep: String = ","', 'Vector', 'Rows of a CSV text: hashes by the names in its first row, or vectors without headers; ValueError with the line when it is not valid.', (_: unknown, text: string, headers: boolean, sep: string) => parseCsv(text, headers, sep)],
  ['csv_dump', 'rows: Vector, headers: Boolean|Vector = true, sep: String = ","', 'String', 'CSV text of hashes or vectors; `headers` leaves out the line of names, or names the columns.', (_: unknown, rows: Value[], headers: boolean | Value[], sep: string) => dumpCsv(rows, headers, sep)],
  ['csv_read', 'path: String, headers: Boolean = true, sep: String = ","', 'Vector', 'Rows of a CSV file, as csv_parse gives them.', read],
  ['csv_write', 'path: String, rows: Vector, headers: Boolean|Vector = true, sep: String = ","', 'Nil', 'Writes rows to a file as csv_dump does.', write],
]);
