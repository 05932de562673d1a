import { compiler } from './groups/compiler.js';
import { json } from './groups/json.js';
import { operations } from './groups/operations.js';
import { requests } from './groups/requests.js';
import { routes } from './groups/routes.js';
import { sessions } from './groups/sessions.js';
import { values } from './groups/values.js';
import type { Group } from './measure.js';

/** All groups in the order of the report. No name is that of a suite: `npm run bench` tells them apart. */
export function groupsOf(root: string): Group[] {
  return [routes(root), requests, sessions, json, values, operations, compiler(root)];
}
