import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// The browser has none of these, and compiler and vm are to run there too.
const HOST_GLOBALS = [
  'process', 'Buffer', 'global', 'require', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval',
  'queueMicrotask', 'performance', 'console',
];

export default defineConfig(
  { ignores: ['**/dist/', '.tap/', 'coverage/', 'node_modules/', '**/generated/**'] },
  js.configs.recommended,
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 800 }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'off',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-useless-return': 'error',
      'no-lonely-if': 'error',
      'object-shorthand': 'error',
      'prefer-template': 'off',
      // The lexer, JSON and header checks are full of them on purpose.
      'no-control-regex': 'off',
      'default-case-last': 'error',
      // Loops that walk a chain start with `this`; the mistake the rule is after cannot happen with arrow functions.
      '@typescript-eslint/no-this-alias': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
    },
  },
  {
    // Scripts of pages.
    files: ['examples/**/*.js'],
    languageOptions: { globals: { document: 'readonly', EventSource: 'readonly' } },
  },
  {
    files: ['compiler/**', 'vm/**'],
    rules: { 'no-restricted-globals': ['error', ...HOST_GLOBALS] },
  },
  {
    // The interpreter's loop, that of regular expressions and the JIT's emitter: one long switch each, which no cut would make clearer.
    // The loop's locals have a first value so that their kind never changes.
    files: ['vm/interpreter/run.ts', 'vm/jit/**', 'vm/values/regex/backtrack.ts'],
    rules: { 'max-lines-per-function': 'off', 'no-useless-assignment': 'off' },
  },
  {
    files: ['vm/jit/**'],
    rules: { 'no-new-func': 'off' },
  },
  {
    // Scripts of pages run in a browser.
    files: ['templates/*/public/**'],
    languageOptions: { globals: { document: 'readonly', localStorage: 'readonly', location: 'readonly', WebSocket: 'readonly' } },
  },
  {
    // A number equals a bigint of the same value; only `==` says so.
    files: ['vm/values/numbers/arithmetic.ts', 'vm/values/equal.ts'],
    rules: { eqeqeq: 'off' },
  },
  {
    // With types: a cast that changes nothing hides that the next one matters.
    files: ['{vm,compiler,natives,svcc,tools,bench,editors}/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { '@typescript-eslint/no-unnecessary-type-assertion': 'error' },
  },
  {
    files: ['test/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', Buffer: 'readonly', URL: 'readonly', performance: 'readonly', setTimeout: 'readonly', module: 'writable', require: 'readonly' } },
  },
);
