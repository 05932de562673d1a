import { runUnits } from '../units.js';

await runUnits(import.meta.url, ['.', 'cluster', 'core', 'core/dates', 'data', 'decimal', 'io', 'jobs', 'keystore']);
