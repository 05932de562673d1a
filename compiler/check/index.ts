import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { resolveProgram } from '../resolve/program.js';
import type { ModuleScope } from '../symbols.js';
import { checkAnnotations } from './annotations.js';
import { checkCalls } from './calls.js';
import type { CheckEnvironment, Checked, Report } from './environment.js';
import { checkHandlers, checkReachable } from './flow.js';
import { checkClauses } from './clauses.js';
import { checkHidden } from './hiddennames.js';
import { checkImpossible } from './impossible.js';
import { checkJobs } from './jobs.js';
import { checkElementChanges } from './elementchanges.js';
import { checkSqlValues } from './sqlvalues.js';
import { checkMethods } from './methods.js';
import { checkNames, checkUnused } from './undefinednames.js';
import { checkNil } from './nil/nilflow.js';
import { checkOperators } from './operators.js';
import { checkSecrets } from './secrets.js';
import { checkSql } from './sqltext.js';
import { checkSpawned } from './spawned.js';
import { type CheckedFile, checkProcessState } from './processstate.js';
import { checkDeclared } from './requests.js';
import { checkRescues } from './rescues.js';
import { checkResponses } from './responses.js';
import { Types } from './types.js';
import { checkKeys, checkUses } from './values.js';
import { checkHtml, checkRoutes, checkSettings } from './web.js';

export type { CheckEnvironment, NativeParameter, NativeSignature } from './environment.js';

/** Reports all findings of `svcc check`, in the order of files and offsets. Never throws for bad input. */
export function check(
  path: string,
  text: string,
  env: CheckEnvironment,
): { diagnostics: Diagnostic[]; texts: Map<string, string> } {
  const { modules, names, resolution, diagnostics, texts } = resolveProgram(path, text, env);
  if (resolution === null || names === null) return { diagnostics, texts };
  const iterators = names.iterators();
  const files = modules.map((module): CheckedFile => {
    const checked: Checked = { module, resolution, env, iterators, report: reporter(module, diagnostics) };
    return { checked, types: new Types(checked) };
  });
  for (const { checked, types } of files) checkModule(checked, types);
  if (env.forWorkers === true) checkProcessState(files);
  const order = new Map(modules.map((module, i) => [module.path, i]));
  diagnostics.sort((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.start - b.start);
  return { diagnostics, texts };
}

/** Adds the findings in a file to `diagnostics`. */
export function reporter({ path }: ModuleScope, diagnostics: Diagnostic[]): Report {
  return (severity, code, { start, end }, message, hint = '') =>
    diagnostics.push({ code, severity, message, file: path, start, end, labels: [], hint });
}

/** Reports the findings in one file of a program whose names are resolved. */
export function checkModule(checked: Checked, types: Types): void {
  checkNames(checked);
  checkUnused(checked);
  checkHidden(checked);
  checkReachable(checked);
  checkClauses(checked);
  checkImpossible(checked, types);
  checkRescues(checked, types);
  checkCalls(checked, types);
  checkMethods(checked, types);
  checkOperators(checked, types);
  checkAnnotations(checked, types);
  checkHandlers(checked, types);
  checkResponses(checked);
  checkUses(checked, types);
  checkKeys(checked, types);
  checkSpawned(checked, types);
  checkNil(checked, types);
  checkSettings(checked, types);
  checkRoutes(checked, types);
  checkDeclared(checked, types);
  checkSecrets(checked, types);
  checkHtml(checked, types);
  checkSql(checked, types);
  checkSqlValues(checked, types);
  checkJobs(checked, types);
  checkElementChanges(checked, types);
}
