import { relative, resolve, sep } from 'node:path';
import t from 'tap';
import { isTestInShare } from './slowtests.js';

// Loaded before each test file where a share of the tests runs (`tools/test-options.js`): leaves out the tests that the
// share does not contain.

const file = relative(resolve(import.meta.dirname, '..'), process.argv[1]).replaceAll(sep, '/');
const { shouldSkipChild } = t;
t.shouldSkipChild = (options) => !isTestInShare(file, options.name ?? '') || shouldSkipChild(options);
