/** All functions that the grammar's rules name in their `{% … %}`. The generated grammar imports this file. */
export * from './bodies.js';
export * from './calls.js';
export * from './control.js';
export * from './list.js';
export * from './literals.js';
export * from './modules.js';
export * from './operators.js';
export * from './parameters.js';
export * from './patterns.js';
export * from './statements.js';
