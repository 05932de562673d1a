import t from 'tap';
import { parse } from '../../compiler/parse.js';
import { sketch } from './sketch.js';
import { torture } from './sources.js';
import { treeCases } from './trees.js';

t.test('trees', async (t) => {
  for (const { source, expected } of treeCases()) {
    const { module, diagnostics } = parse('t.svc', source);
    t.strictSame(
      diagnostics.map(({ message }) => message),
      [],
      source,
    );
    t.equal(module.stmts.map(sketch).join('; ').replaceAll('\n', '\\n'), expected, source);
  }
});

t.test('the file with every form has no error', async (t) => {
  const { text } = torture();
  t.strictSame(parse('torture.svc', text).diagnostics, []);
});

interface Ranged {
  type?: string;
  start: number;
  end: number;
}

function isRanged(value: unknown): value is Ranged {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}

t.test('each node lies within its parent', async (t) => {
  const text = torture()
    .text.replace(/<<~?[\s\S]*?# ---- operators/, '0\n# ---- operators')
    .replace(/txt = <<~EOS[\s\S]*?\nm = """/, 'm = """');
  const visit = (value: unknown, parent: Ranged): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent);
    else if (typeof value === 'object' && value !== null) {
      const inner = isRanged(value) ? value : parent;
      if (inner.start < parent.start || inner.end > parent.end || inner.end < inner.start) {
        t.fail(
          `${inner.type} "${text.slice(inner.start, inner.end)}" outside of ${parent.type} "${text.slice(parent.start, parent.end)}"`,
        );
      }
      for (const child of Object.values(value)) visit(child, inner);
    }
  };
  const { module } = parse('torture.svc', text);
  visit(module, module);
  t.equal(module.stmts.length > 200, true);
});
