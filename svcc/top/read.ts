import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Inspected } from '../../natives/web/inspector/data.js';
import type { Announced } from './find.js';

/** Milliseconds that a process has to answer. */
const ANSWER_MS = 3000;

/** Reads the data of a process. Resolves with `gone` if it has ended, with `silent` if it does not answer. */
export function read({ path }: Announced): Promise<Inspected | 'gone' | 'silent'> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    const timer = setTimeout(() => {
      resolve('silent');
      socket.destroy();
    }, ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // The file was left by a process that was killed.
      if (code === 'ECONNREFUSED') rmSync(path, { force: true });
      resolve(code === 'EAGAIN' ? 'silent' : 'gone');
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(parsed(text));
    });
  });
}

function parsed(text: string): Inspected | 'gone' {
  try {
    return JSON.parse(text) as Inspected;
  } catch {
    // The process ended during its answer.
    return 'gone';
  }
}
