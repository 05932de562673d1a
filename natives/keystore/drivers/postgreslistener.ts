import { parseUrl } from '../../data/postgres/url.js';
import { connect, connectLimit, type LoggedIn } from '../../data/postgres/wire.js';
import { pauseBefore } from './driver.js';

/** Called by a listener. */
export interface Listening {
  /** Notifications now arrive. Earlier ones may have been missed. */
  started(): void;
  notified(payload: string): void;
}

/** Listens on a channel of PostgreSQL, and connects again after a broken connection until it is stopped. */
export class Listener {
  isListening = false;
  private isStarted = false;
  private isStopped = false;
  private login: LoggedIn | null = null;
  private retry: NodeJS.Timeout | null = null;

  /** @param channel an identifier that needs no quotes */
  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly listening: Listening,
  ) {}

  /** Connects. Only the first call has an effect. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.connect(0);
  }

  stop(): void {
    this.isStopped = true;
    if (this.retry !== null) clearTimeout(this.retry);
    this.login?.wire.end();
  }

  private connect(attempt: number): void {
    this.login = null;
    this.isListening = false;
    if (this.isStopped) return;
    const again = (next: number): void => {
      if (!this.isStopped) this.retry = setTimeout(() => this.connect(next), pauseBefore(next));
    };
    const target = parseUrl(this.url);
    connect(target, connectLimit(target)).then(
      (login) => this.listen(login, () => again(0)),
      () => again(attempt + 1),
    );
  }

  private listen(login: LoggedIn, ended: () => void): void {
    const { wire } = login;
    this.login = login;
    if (this.isStopped) {
      wire.end();
      return;
    }
    wire.once('end', ended);
    wire.on('errorMessage', () => wire.stream.destroy());
    wire.on('notification', ({ payload }: { payload: string }) => this.listening.notified(payload));
    wire.once('readyForQuery', () => {
      this.isListening = true;
      this.listening.started();
    });
    wire.query(`LISTEN ${this.channel}`);
  }
}
