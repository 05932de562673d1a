/** Services of the first process of `svcc run --workers`, which all workers share. */
import type { Duplex } from 'node:stream';
import type { Channel, Handler } from './channel.js';
import { channelOver } from './stream.js';

/** A service that runs in the first process. */
export interface SharedService {
  /** Handles a message of a worker. The value that it returns, or resolves to, answers a question. */
  receive(message: unknown, from: Channel): unknown;
  /** Called when a worker has ended. */
  left(worker: Channel): void;
}

/** Loads a service when a worker first uses it. */
export type LoadService = () => Promise<SharedService>;

/** Connects workers with services, which are loaded on first use. */
export class Services {
  private readonly loading = new Map<string, Promise<SharedService>>();
  private readonly loaded = new Map<string, SharedService>();

  constructor(private readonly loaders: Readonly<Record<string, LoadService>>) {}

  /** Serves the worker with this process number until its stream ends. */
  attach(stream: Duplex, pid: number): void {
    const left = (channel: Channel): void => {
      for (const service of this.loaded.values()) service.left(channel);
    };
    channelOver(stream, pid, left, (name) => this.handlerOf(name));
  }

  /** Passes messages to a service; those that come while it is loaded wait in their order. */
  private handlerOf(name: string): Handler | undefined {
    if (!Object.hasOwn(this.loaders, name)) return undefined;
    return (message, from) => {
      const service = this.loaded.get(name);
      if (service !== undefined) return service.receive(message, from);
      return this.load(name).then((ready) => (from.isClosed ? undefined : ready.receive(message, from)));
    };
  }

  private load(name: string): Promise<SharedService> {
    let loading = this.loading.get(name);
    if (loading === undefined) {
      loading = this.loaders[name]().then((service) => {
        this.loaded.set(name, service);
        return service;
      });
      this.loading.set(name, loading);
    }
    return loading;
  }
}
