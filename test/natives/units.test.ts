import { runUnits } from '../units.js';

await runUnits(import.meta.url, ['.', 'core', 'core/dates', 'data', 'decimal', 'io', 'jobs']);
