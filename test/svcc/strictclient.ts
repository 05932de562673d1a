import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Counts of all clients together. */
export class Tally {
  answered = 0;
  /** Requests that were not the first of their connection. */
  reused = 0;
  /** Responses with `Connection: close` to requests without it. */
  announced = 0;
  readonly lost: string[] = [];
  stopped = false;
}

/** A persistent connection. */
class Line {
  received = '';
  requests = 0;
  /** Why no further request may be sent, or null. */
  end: string | null = null;
  private wake = (): void => {};

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    const note = (end: string | null, text = ''): void => {
      this.received += text;
      this.end ??= end;
      this.wake();
    };
    socket.on('data', (data: Buffer) => note(null, data.toString('latin1')));
    socket.on('end', () => note('FIN'));
    socket.on('close', () => note('close'));
    socket.on('error', (error: NodeJS.ErrnoException) => note(error.code ?? error.message));
  }

  /** Opens a connection; null if the port is closed. */
  static open(port: number): Promise<Line | null> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => resolve(new Line(socket)));
      socket.once('error', () => resolve(null));
    });
  }

  /** Waits for the next response: head and body. @throws Error if the connection ends first */
  async answer(): Promise<[head: string, body: string]> {
    for (;;) {
      const at = this.received.indexOf('\r\n\r\n');
      const head = this.received.slice(0, at);
      const end = at + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
      if (at >= 0 && this.received.length >= end) {
        const body = this.received.slice(at + 4, end);
        this.received = this.received.slice(end);
        return [head, body];
      }
      if (this.end !== null) throw new Error(this.end);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

/** Posts to `/echo` on one connection until the server ends it, then on the next. Never sends a request twice. */
async function postAll(
  port: number,
  name: string,
  tally: Tally,
  { closes, pause }: { closes: boolean; pause: () => number },
): Promise<void> {
  let line: Line | null = null;
  for (let n = 0; !tally.stopped; n++) {
    if (line === null || line.end !== null) {
      line?.socket.destroy();
      line = await Line.open(port);
      if (line === null) {
        // Nothing was sent, so nothing is lost.
        await sleep(5);
        continue;
      }
    }
    const body = `${name} ${n}`;
    line.socket.write(
      `POST /echo HTTP/1.1\r\nHost: svc.test\r\n${closes ? 'Connection: close\r\n' : ''}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    try {
      const [head, echo] = await line.answer();
      if (!head.startsWith('HTTP/1.1 200 ') || echo !== body)
        throw new Error(`${head.slice(0, 40)}: ${echo.slice(0, 80)}`);
      tally.answered++;
      if (line.requests++ > 0) tally.reused++;
      if (/^connection: *close/im.test(head)) {
        line.end = 'announced';
        if (!closes) tally.announced++;
      }
    } catch (error) {
      tally.lost.push(`${body} as request ${line.requests + 1} of its connection: ${(error as Error).message}`);
      line.end ??= 'lost';
    }
    await sleep(pause());
  }
  line?.socket.destroy();
}

/**
 * Runs sixteen clients until all have stopped: eleven send the next request at once, the others pause. With `closes`,
 * two of them open a connection for each request.
 */
export async function postFrom16(port: number, tally: Tally, closes: boolean): Promise<void> {
  await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      postAll(port, `client ${i}`, tally, {
        closes: closes && i % 6 === 5,
        pause: () => (i < 11 ? 0 : Math.random() * 300),
      }),
    ),
  );
}
