/** The pages of `page.svc` in other template engines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ejs from '../web/node_modules/ejs/lib/esm/ejs.js';
import { Eta } from '../web/node_modules/eta/dist/index.mjs';
import nunjucks from '../web/node_modules/nunjucks/index.js';

const views = (name) => join(import.meta.dirname, 'views', name);

const rows = () =>
  Array.from({ length: 100 }, (_, n) => n + 1).map((i) => ({
    id: i,
    name: i % 4 === 0 ? `Smith & Sons <${i}>` : `Customer number ${i}`,
    email: `customer${i}@example.org`,
    note: i % 10 === 0 ? 'says "soon"' : 'nothing to note',
    kind: i % 2 === 0 ? 'even' : 'odd',
    paid: i % 3 === 0,
    total: i * 7,
  }));
const values = (list) => ({ title: 'Orders & more', user: 'Ann <ann@example.org>', rows: list });

/** Functions that make a function which renders a page once. */
const ENGINES = {
  eta(name) {
    const eta = new Eta({ cache: true });
    // Named templates: those of files are searched for at each include.
    for (const file of ['layout', 'list', 'partials', '_row'])
      eta.loadTemplate(`@${file}`, readFileSync(join(views('eta'), `${file}.eta`), 'utf8'));
    return (list) => eta.render(`@${name}`, values(list));
  },
  /** It has no layouts: the page is rendered first, then its layout with it. */
  ejs(name) {
    const options = { cache: true, localsName: 'it', _with: false };
    const load = (file) => ejs.compile(readFileSync(file, 'utf8'), { ...options, filename: file });
    const [list, layout] = [`${name}.ejs`, 'layout.ejs'].map((file) => load(join(views('ejs'), file)));
    return (items) => layout({ ...values(items), body: list(values(items)) });
  },
  nunjucks(name) {
    const env = new nunjucks.Environment(new nunjucks.FileSystemLoader(views('nunjucks')), { autoescape: true });
    return (list) => env.render(`${name}.html`, values(list));
  },
};

/** Makes a function that renders a page 100 times, and returns it once. */
export function page(engine, name) {
  const render = ENGINES[engine](name);
  return () => {
    const list = rows();
    let html = '';
    for (let n = 0; n < 100; n++) {
      html = render(list);
      if (!html.endsWith('</html>\n')) throw new Error('cut off');
    }
    return html;
  };
}
