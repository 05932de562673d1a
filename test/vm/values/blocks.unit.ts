import t from 'tap';
import { collect } from '../../collect.js';
import { BlockText } from '../../../vm/values/text/blocks.js';

/** A text, and the bytes that it keeps on the heap. */
function kept(make: () => string): { text: string; bytes: number } {
  collect();
  const before = process.memoryUsage().heapUsed;
  const text = make();
  collect();
  return { text, bytes: process.memoryUsage().heapUsed - before };
}

const PARTS = Array.from({ length: 500_000 }, (_, i) => `part ${i}`);

t.test('the parts of a text', async (t) => {
  const text = new BlockText();
  t.equal(text.length, 0);
  t.equal(text.end(), '', 'no parts');
  for (const part of PARTS) text.add(part);
  t.equal(text.length, PARTS.join('').length);
  t.ok(text.end() === PARTS.join(''), 'all of them, in order');
  text.add('more');
  t.ok(text.end() === `${PARTS.join('')}more`, 'and those that follow');
});

t.test('a text is no tree of its parts', async (t) => {
  const ofBlocks = kept(() => {
    const text = new BlockText();
    for (const part of PARTS) text.add(part);
    return text.end();
  });
  const ofTree = kept(() => {
    let text = '';
    for (const part of PARTS) text += part;
    return text;
  });
  t.ok(ofBlocks.bytes < 2 * ofBlocks.text.length, `${ofBlocks.bytes} bytes`);
  t.ok(ofTree.bytes > 2 * ofTree.text.length, `${ofTree.bytes} bytes of a tree`);
});
