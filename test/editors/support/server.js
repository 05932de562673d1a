#!/usr/bin/env node
// A language server that answers `initialize` and `shutdown`, and appends its arguments and the methods that it receives to the
// file SVC_SERVER_LOG.
import { appendFileSync } from 'node:fs';

const log = (text) => appendFileSync(process.env.SVC_SERVER_LOG, `${text}\n`);

log(`started ${process.argv.slice(2).join(' ')}`);
let buffer = Buffer.alloc(0);

function send(message) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function receive({ id, method, params }) {
  const about = params?.textDocument?.languageId ?? params?.rootPath ?? '';
  const name = params?.textDocument?.uri?.split('/').at(-1) ?? '';
  log(`${method} ${about} ${name}`.trim());
  if (method === 'initialize') send({ id, result: { capabilities: { textDocumentSync: 1 } } });
  else if (method === 'exit') process.exit(0);
  else if (id !== undefined) send({ id, result: null });
}

process.stdin.on('data', (data) => {
  buffer = Buffer.concat([buffer, data]);
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())[1]);
    if (buffer.length < head + 4 + length) return;
    const text = buffer.subarray(head + 4, head + 4 + length).toString();
    buffer = buffer.subarray(head + 4 + length);
    receive(JSON.parse(text));
  }
});
process.stdin.on('end', () => process.exit(0));
