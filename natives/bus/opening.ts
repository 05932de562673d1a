import { randomBytes } from 'node:crypto';
import { ModuleState } from '../../vm/calls/modulestate.js';
import { Errors, errorOf } from '../../vm/values/error.js';
import { inspect } from '../../vm/values/text/text.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { withoutPassword } from '../address.js';
import { ENDINGS } from '../core/ending.js';
import { isRedisUrl } from '../redis/connection.js';
import { firstProcess } from '../cluster/firstprocess.js';
import { Bus } from './bus.js';
import { type BusDriver, type BusEvents, type BusOptions, ORIGIN_LENGTH } from './driver.js';
import { LocalBus } from './local.js';
import { whenTaken } from './subscription.js';

/** Makes the driver for a URL. */
type Connect = (options: BusOptions, events: BusEvents) => BusDriver;

/** The checked address of a bus. */
interface Address {
  /** The URL without parameters of the bus. */
  readonly url: string;
  /** The URL without a password, for messages to the user. */
  readonly label: string;
  readonly prefix: string;
}

const DEFAULT_PREFIX = 'svc';

/** The buses of a VM by their URLs. */
const BUSES = new ModuleState<Map<string, Promise<Bus>>>(() => new Map());

/** Returns the bus of a URL. Each VM has one for each URL. Rejects with SvcError for an invalid URL. */
export function busOf(vm: NativeContext, url: string): Promise<Bus> {
  const buses = BUSES.of(vm);
  let bus = buses.get(url);
  if (bus === undefined) {
    bus = openBus(vm, url);
    buses.set(url, bus);
    bus.catch(() => buses.delete(url));
  }
  return bus;
}

async function openBus(vm: NativeContext, url: string): Promise<Bus> {
  const address = addressOf(url);
  const connect = await connectOf(address);
  const options: BusOptions = {
    origin: newOrigin(),
    prefix: address.prefix,
    defer: (callback) => vm.scheduler.afterTurn(callback),
    whenTaken: (then) => whenTaken(vm, then),
  };
  const bus = new Bus(
    address.label,
    options.origin,
    (events) => connect(options, events),
    (line) => vm.host.stderr(`${line}\n`),
    () => performance.now(),
  );
  if (!bus.isAlone) ENDINGS.of(vm).add(() => bus.end());
  return bus;
}

/** Makes the origin of this process, which differs from those of all processes that share an engine. */
function newOrigin(): string {
  return randomBytes((ORIGIN_LENGTH * 3) / 4).toString('base64url');
}

/** Checks an address. @throws ArgumentError */
function addressOf(given: string): Address {
  if (given === 'local:') return { url: given, label: given, prefix: DEFAULT_PREFIX };
  if (!isRedisUrl(given) && !isPostgresUrl(given))
    throw errorOf(
      Errors.ArgumentError,
      `a bus is "local:", "redis://host:port" or "postgres://user:password@host/name", got ${inspect(withoutPassword(given))}`,
    );
  const { url, prefix } = withoutPrefix(given);
  const label = withoutPassword(url).replace(/\?.*$/s, '');
  if (!/^[\w-]{1,32}$/.test(prefix))
    throw errorOf(
      Errors.ArgumentError,
      `the prefix of a bus must be 1 to 32 letters, digits, - or _, got ${inspect(prefix)}`,
    );
  if (isRedisUrl(url) && !URL.canParse(url))
    throw errorOf(Errors.ArgumentError, `the address of a bus is no URL: ${inspect(label)}`);
  return { url, label, prefix };
}

function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(url);
}

/** Removes the parameter `prefix` from a URL. */
function withoutPrefix(url: string): { url: string; prefix: string } {
  const [, base, query] = /^([^?]*)(?:\?(.*))?$/s.exec(url) as RegExpExecArray;
  const pairs = (query ?? '').split('&').filter((pair) => pair !== '');
  const isPrefix = (pair: string): boolean => pair.startsWith('prefix=');
  const others = pairs.filter((pair) => !isPrefix(pair)).join('&');
  const prefix = pairs.find(isPrefix)?.slice('prefix='.length) ?? DEFAULT_PREFIX;
  return { url: others === '' ? base : `${base}?${others}`, prefix };
}

/** Loads the driver for an address. */
async function connectOf({ url }: Address): Promise<Connect> {
  if (isRedisUrl(url)) {
    const { RedisBus } = await import('./redis.js');
    return (options, events) => new RedisBus(url, options, events);
  }
  if (isPostgresUrl(url)) {
    const { PostgresBus, targetOf } = await import('./postgres.js');
    const target = targetOf(url);
    if (typeof target === 'string') throw errorOf(Errors.ArgumentError, `the address of a bus is an ${target}`);
    return (options, events) => new PostgresBus(target, options, events);
  }
  const first = firstProcess();
  if (first === null) return () => new LocalBus();
  const { ClusterBus } = await import('./cluster.js');
  return (options, events) => new ClusterBus(first, options, events);
}
