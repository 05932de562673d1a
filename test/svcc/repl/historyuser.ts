/** A session that adds inputs to a history and shortens it: `historyuser.ts PATH NAME COUNT`. */
import { History } from '../../../svcc/repl/history.js';

const [path, name, count] = process.argv.slice(2);
const history = new History(path);
for (let i = 0; i < Number(count); i++) {
  history.add(`${name} ${i}`);
  if (i % 10 === 0) history.load();
}
