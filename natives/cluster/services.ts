/** Services in the first process of `svcc run --workers`, which all workers share. */
import type { Duplex } from 'node:stream';
import type { Channel, Handler } from './channel.js';
import { channelOver } from './stream.js';

/** A service that runs in the first process. */
export interface SharedService {
  /** Handles a message of a worker. The value that it returns, or resolves with, answers a question. */
  receive(message: unknown, from: Channel): unknown;
  /** Called when a worker has ended. */
  left(worker: Channel): void;
}

/** Loads a service. Called when a worker first uses it. */
export type LoadService = () => Promise<SharedService>;

/** Passes messages of workers to services, and loads these on first use. */
export class Services {
  private readonly loading = new Map<string, Promise<SharedService>>();
  private readonly loaded = new Map<string, SharedService>();

  constructor(private readonly loaders: Readonly<Record<string, LoadService>>) {}

  /** Serves a worker over a stream until it ends. @param pid process number of the worker */
  attach(stream: Duplex, pid: number): void {
    const left = (channel: Channel): void => {
      for (const service of this.loaded.values()) service.left(channel);
    };
    channelOver(stream, pid, left, (name) => this.handlerOf(name));
  }

  /** Returns a handler that passes messages to a service. While the service is being loaded, they wait in order. */
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
