import { runUnits } from '../units.js';

await runUnits(import.meta.url, ['.', 'bytecode', 'scheduler', 'values']);
