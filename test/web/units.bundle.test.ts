import t from 'tap';
import { runUnits } from '../units.js';

t.jobs = 4;
await runUnits(import.meta.url, ['examples', 'extras', 'static', 'uploads']);
