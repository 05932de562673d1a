/** Messages between two processes, each to a named service. */

/** What one side sends: a message without an answer, a question with its number, or the answer to a question. */
type Item =
  | { readonly to: string; readonly message: unknown }
  | { readonly to: string; readonly message: unknown; readonly ask: number }
  | { readonly answers: number; readonly value: unknown }
  | { readonly answers: number; readonly failure: string };

/** The items that one side sends in one turn of the event loop. */
export interface Packet {
  readonly channel: readonly Item[];
}

/** Receives the messages to a service. The value that it returns, or resolves with, answers a question. */
export type Handler = (message: unknown, from: Channel) => unknown;

/** The failure of a question: the other process ended, or its service failed. */
export class ChannelError extends Error {}

/** Maximum packets that the operating system has not taken yet. Further messages wait in this process. */
const MAX_IN_FLIGHT = 16;
/** Maximum messages in a packet, so that the other side handles it in a short turn. */
const MAX_PACKET = 1000;

interface Question {
  resolve(value: unknown): void;
  reject(error: ChannelError): void;
}

/** One end of the connection between two processes. Messages arrive in the order in which they were sent. */
export class Channel {
  private readonly handlers = new Map<string, Handler>();
  private readonly questions = new Map<number, Question>();
  private waiting: Item[] = [];
  private inFlight = 0;
  private isScheduled = false;
  private asked = 0;
  isClosed = false;

  /**
   * @param pid number of the other process
   * @param send passes a packet to the operating system, and calls `sent` when it has taken the packet or failed
   * @param missing returns the handler of a service that has none yet
   */
  constructor(
    readonly pid: number,
    private readonly send: (packet: Packet, sent: () => void) => void,
    private readonly missing: (service: string) => Handler | undefined = () => undefined,
  ) {}

  /** Number of messages that wait in this process, because MAX_IN_FLIGHT packets are being sent. */
  get backlog(): number {
    return this.waiting.length;
  }

  /** Sends a message, together with all others of this turn. It is lost if the other process ends. */
  post(service: string, message: unknown): void {
    this.add({ to: service, message });
  }

  /** Sends a message. Resolves with the answer; rejects with ChannelError if there will be none. */
  request(service: string, message: unknown): Promise<unknown> {
    if (this.isClosed) return Promise.reject(new ChannelError('the other process has ended'));
    const ask = ++this.asked;
    return new Promise((resolve, reject) => {
      this.questions.set(ask, { resolve, reject });
      this.add({ to: service, message, ask });
    });
  }

  /** Sets the handler of messages to a service. */
  on(service: string, handler: Handler): void {
    this.handlers.set(service, handler);
  }

  /** Handles a packet of the other side. */
  receive({ channel }: Packet): void {
    for (const item of channel) {
      if ('to' in item) this.handle(item);
      else this.answered(item);
    }
  }

  /** Called when the other process has ended: open questions fail, later messages are dropped. */
  close(): void {
    this.isClosed = true;
    this.waiting = [];
    for (const { reject } of this.questions.values()) reject(new ChannelError('the other process has ended'));
    this.questions.clear();
  }

  private handle(item: Extract<Item, { to: string }>): void {
    const { to, message } = item;
    const handler = this.handlerOf(to);
    if ('ask' in item) this.answer(item.ask, handler ?? unknownService(to), message);
    else handler?.(message, this);
  }

  private handlerOf(service: string): Handler | undefined {
    const handler = this.handlers.get(service) ?? this.missing(service);
    if (handler !== undefined) this.handlers.set(service, handler);
    return handler;
  }

  private answer(answers: number, handler: Handler, message: unknown): void {
    const failed = (error: unknown): void => this.add({ answers, failure: messageOf(error) });
    try {
      const value = handler(message, this);
      if (value instanceof Promise) value.then((result: unknown) => this.add({ answers, value: result }), failed);
      else this.add({ answers, value });
    } catch (error) {
      failed(error);
    }
  }

  private answered(item: Extract<Item, { answers: number }>): void {
    const question = this.questions.get(item.answers);
    if (question === undefined) return;
    this.questions.delete(item.answers);
    if ('failure' in item) question.reject(new ChannelError(item.failure));
    else question.resolve(item.value);
  }

  private add(item: Item): void {
    if (this.isClosed) return;
    this.waiting.push(item);
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.inFlight < MAX_IN_FLIGHT && !this.isClosed) {
      const channel = this.waiting.length <= MAX_PACKET ? this.waiting : this.waiting.slice(0, MAX_PACKET);
      this.waiting = this.waiting.length <= MAX_PACKET ? [] : this.waiting.slice(MAX_PACKET);
      this.inFlight++;
      this.send({ channel }, () => {
        this.inFlight--;
        this.flush();
      });
    }
  }
}

function unknownService(service: string): Handler {
  return () => {
    throw new ChannelError(`there is no service '${service}'`);
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
