import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { notice } from '../connection/notices.js';

/**
 * Minimum and maximum number of descriptors kept free of connections, and their share of the limit. They are for files,
 * programs and connections that are refused.
 */
const MIN_FREE = 8;
const MAX_FREE = 64;
const FREE_SHARE = 0.25;

/** The answer to a connection beyond the limit, with its end. */
export const REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 19\r\n\r\nService Unavailable';

/** Maximum descriptors of this process (`ulimit -n`); Infinity if the system does not report it. */
function descriptorLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/**
 * Watches how many descriptors are left. If none were left, node would close new connections silently and programs
 * could not open files. The kernel assigns the lowest free number, so the number of a new connection shows how many are
 * in use in the whole process.
 */
export class Descriptors {
  private readonly limit = descriptorLimit();
  private readonly most = this.limit - Math.max(MIN_FREE, Math.min(MAX_FREE, Math.floor(this.limit * FREE_SHARE)));
  /** Connections beyond the limit, oldest first; each is answered with 503. */
  private readonly surplus = new Set<Socket>();

  constructor(
    private readonly owner: object,
    private readonly vm: () => Pick<NativeContext, 'host'>,
  ) {}

  /** Checks each new connection of a server. */
  watch(server: Server): void {
    if (this.limit < Infinity) server.on('connection', (socket: Socket) => this.opened(socket));
  }

  /** Whether requests of a connection are answered with 503. */
  isSurplus(socket: Socket): boolean {
    return this.surplus.size > 0 && this.surplus.has(socket);
  }

  private opened(socket: Socket): void {
    const { fd } = (socket as unknown as { _handle: { fd?: number } | null })._handle ?? {};
    if (this.isBeyond(fd)) this.refuse(socket);
  }

  /** Whether a new connection is beyond the limit. @param fd its descriptor */
  isBeyond(fd: number | undefined): boolean {
    return fd !== undefined && fd >= this.most;
  }

  /** Adds a connection beyond the limit, whose requests must be answered with 503. Reports it. */
  refuse(socket: Socket): void {
    this.surplus.add(socket);
    socket.once('close', () => this.surplus.delete(socket));
    notice(
      this.vm(),
      this.owner,
      'descriptors',
      `${this.most} of ${this.limit} descriptors (ulimit -n) are in use: new connections are answered with 503; allow more open files, or find out what keeps them open`,
    );
    // Half of the free descriptors are reserved for programs. The oldest connection is answered even if it has sent
    // nothing yet.
    if (this.surplus.size <= (this.limit - this.most) / 2) return;
    const [oldest] = this.surplus;
    this.surplus.delete(oldest);
    oldest.end(REFUSAL);
    oldest.destroySoon();
  }
}
