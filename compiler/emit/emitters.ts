import { assignEmitters } from './assign.js';
import type { Emitters } from './builder.js';
import { callEmitters } from './calls.js';
import { flowEmitters } from './flow.js';
import { functionEmitters } from './functions.js';
import { handlerEmitters } from './handlers.js';
import { literalEmitters } from './literals.js';
import { matchEmitters } from './matching.js';
import { operatorEmitters } from './operators.js';

export const EMITTERS: Emitters = {
  ...literalEmitters,
  ...operatorEmitters,
  ...assignEmitters,
  ...flowEmitters,
  ...matchEmitters,
  ...handlerEmitters,
  ...functionEmitters,
  ...callEmitters,
};
