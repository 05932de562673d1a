import { runUnits } from '../../units.js';

await runUnits(import.meta.url);
