import { lookup as systemLookup, promises, type LookupAddress, type LookupOptions } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';

type Answers = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A name that waits for the system. */
interface Query {
  readonly name: string;
  readonly options: LookupOptions;
  readonly callback: Answers;
  /** Milliseconds of `performance.now`. */
  readonly since: number;
}

/** Milliseconds after which nobody waits for an answer: connections have failed by then. */
const PATIENCE_MS = 10_000;
/** All attempts together end within PATIENCE_MS. */
const SERVERS = { timeout: 3000, tries: 2 };
/** Failures of name servers that tell nothing about the name. */
const PASSING = new Set(['ETIMEOUT', 'ESERVFAIL', 'EREFUSED', 'EBADRESP']);
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function failure(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code} ${name}`), { code, hostname: name });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}

function hostsFile(): string {
  return process.platform === 'win32'
    ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts';
}

/** The families that options ask for. */
function familiesOf({ family = 0 }: LookupOptions): (4 | 6)[] {
  if (family === 4 || family === 'IPv4') return [4];
  return family === 6 || family === 'IPv6' ? [6] : [4, 6];
}

/** A function to look up names for connections, by one that finds all addresses of a name. */
export function lookupBy(all: HostNames['all']): LookupFunction {
  return (name, options, callback) =>
    all(name, options, (error, addresses) => {
      if (error !== null || options.all === true) callback(error, addresses);
      else callback(null, addresses[0].address, addresses[0].family);
    });
}

/**
 * Looks up the addresses of hosts. The system does it in threads of node's pool, of which only two may do so at once, for
 * up to ten seconds each if a name server does not answer. So the system looks up one name at a time. Meanwhile others are
 * asked of the name servers directly, which takes no thread. They wait for the system only if the servers do not know them.
 */
export class HostNames {
  private isBusy = false;
  private waiting: Query[] = [];
  private hosts = { changedAt: NaN, text: '' };

  constructor(
    private readonly system: typeof systemLookup = systemLookup,
    private readonly servers: Pick<promises.Resolver, 'resolve4' | 'resolve6'> = new promises.Resolver(SERVERS),
    private readonly file = hostsFile(),
    private readonly patience = PATIENCE_MS,
  ) {}

  /** All addresses of a host; at least one if there is no error. */
  readonly all = (name: string, options: LookupOptions, callback: Answers): void => {
    const query: Query = { name, options, callback, since: performance.now() };
    if (!this.isBusy) this.askSystem(query);
    else
      this.askServers(name.toLowerCase(), options).then(
        (addresses) => {
          if (addresses !== null) callback(null, addresses);
          else if (this.isBusy) this.waiting.push(query);
          else this.askSystem(query);
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
  };

  private askSystem({ name, options, callback }: Query): void {
    this.isBusy = true;
    this.system(name, { ...options, all: true }, (error, addresses) => {
      this.isBusy = false;
      this.askForNext();
      callback(error, addresses);
    });
  }

  private askForNext(): void {
    const now = performance.now();
    while (!this.isBusy) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      if (now - next.since < this.patience) this.askSystem(next);
      else next.callback(failure('EAI_AGAIN', next.name), []);
    }
  }

  /** The addresses that the name servers know; null if the system has to be asked. @throws Error with a code */
  private async askServers(name: string, options: LookupOptions): Promise<LookupAddress[] | null> {
    const families = familiesOf(options);
    // RFC 6761, 6.3
    if (name === 'localhost' || name.endsWith('.localhost'))
      return LOOPBACK.filter(({ family }) => families.includes(family as 4 | 6));
    // Names without a dot are completed by the system, those of `.local` are asked of the local network (RFC 6762).
    if (!name.includes('.') || name.endsWith('.local') || (await this.mayBeInHosts(name))) return null;
    const results = await Promise.allSettled(
      families.map(async (family) => {
        const addresses = await (family === 4 ? this.servers.resolve4(name) : this.servers.resolve6(name));
        return addresses.map((address) => ({ address, family }));
      }),
    );
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0) return found;
    const isPassing = results.some((result) => result.status === 'rejected' && PASSING.has(codeOf(result.reason)));
    if (isPassing) throw failure('EAI_AGAIN', name);
    return null;
  }

  /** Whether the name occurs in the system's file of hosts, be it in a comment. */
  private async mayBeInHosts(name: string): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(this.file);
      if (mtimeMs !== this.hosts.changedAt)
        this.hosts = { changedAt: mtimeMs, text: (await readFile(this.file, 'utf8')).toLowerCase() };
      return this.hosts.text.includes(name);
    } catch {
      return false;
    }
  }
}
