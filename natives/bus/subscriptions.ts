interface Subscription {
  readonly ready: Promise<void>;
  readonly resolve: () => void;
}

/** The topics of a process, and which of them the engine does not know yet. */
export class Subscriptions {
  private readonly topics = new Map<string, Subscription>();
  private readonly wanted = new Set<string>();

  /** Whether all topics have been sent to the engine; its answers may be due. */
  get isComplete(): boolean {
    return this.wanted.size === 0;
  }

  has(topic: string): boolean {
    return this.topics.has(topic);
  }

  /** Adds a topic. Resolves when `confirm` is called for it. */
  add(topic: string): Promise<void> {
    let subscription = this.topics.get(topic);
    if (subscription === undefined) {
      let resolve = (): void => {};
      const ready = new Promise<void>((done) => (resolve = done));
      this.topics.set(topic, (subscription = { ready, resolve }));
      this.wanted.add(topic);
    }
    return subscription.ready;
  }

  /** Removes a topic. Returns whether the engine knows it. */
  remove(topic: string): boolean {
    return this.topics.delete(topic) && !this.wanted.delete(topic);
  }

  /** Called after a new connection: the engine knows no topic. */
  forget(): void {
    for (const topic of this.topics.keys()) this.wanted.add(topic);
  }

  /** Returns up to `most` topics that the engine does not know. They count as known from then on. */
  take(most: number): string[] {
    const taken: string[] = [];
    for (const topic of this.wanted) {
      if (taken.length === most) break;
      taken.push(topic);
    }
    for (const topic of taken) this.wanted.delete(topic);
    return taken;
  }

  /** Called for topics that were taken in vain: the engine does not know them. */
  putBack(topics: readonly string[]): void {
    for (const topic of topics) if (this.topics.has(topic)) this.wanted.add(topic);
  }

  /** Called when the subscription to a topic is in force. */
  confirm(topic: string): void {
    this.topics.get(topic)?.resolve();
  }
}
