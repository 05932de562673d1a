import { ModuleState } from '../../vm/calls/modulestate.js';
import type { Fiber } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Handle, HandleType } from '../../vm/values/handle.js';
import type { Value } from '../../vm/values/value.js';
import { LAST_ENDINGS } from '../core/ending.js';
import type { Driver, DriverOptions } from './driver.js';
import { type Engine, SqlTexts } from './sqltext.js';
import { Latencies } from './latencies.js';
import { TableFacts } from './tablefacts.js';
import type { OpenTransaction } from './transactions.js';

export const DATABASE = new HandleType('Database');

/** Loads an engine's driver and opens a database with it. */
export type OpenDriver = () => Promise<Driver>;

/** A database, as programs see it. It is opened when it is first used. */
export class Database extends Handle {
  readonly texts: SqlTexts;
  readonly latencies = new Latencies();
  /** The driver once it is loaded. */
  opened: Driver | null = null;
  /** What is known about tables that rows were inserted into, outside of transactions. */
  readonly tables = new TableFacts();
  /** The transaction of each thread that has one. */
  readonly transactions = new WeakMap<Fiber, OpenTransaction>();
  /** Id of the row that each thread inserted last. */
  readonly lastIds = new WeakMap<Fiber, Value>();
  private opening: Promise<Driver> | null = null;
  closed = false;

  /** @param label the database for messages, without a password */
  constructor(
    readonly engine: Engine,
    readonly label: string,
    readonly options: DriverOptions,
    private readonly open: OpenDriver,
  ) {
    super();
    this.texts = new SqlTexts(engine);
  }

  get type(): HandleType {
    return DATABASE;
  }

  override describe(): string {
    return `<Database ${this.label}>`;
  }

  /** Loads and opens the driver on first use. Rejects with SqlFailure. */
  driver(): Promise<Driver> {
    return (this.opening ??= this.open().then((driver) => {
      driver.onTablesChange = () => this.tables.forget();
      return (this.opened = driver);
    }));
  }
}

/** The open databases of a VM, for metrics and the end of the program. */
export const DATABASES = new ModuleState<Set<Database>, NativeContext>((vm) => {
  const databases = new Set<Database>();
  LAST_ENDINGS.of(vm).add(() => Promise.all([...databases].map(({ opened }) => opened?.leave())));
  return databases;
});

/** The open transaction of the running thread, or null. */
export function transactionOf(vm: NativeContext, db: Database): OpenTransaction | null {
  const fiber = vm.scheduler.current;
  return fiber === null ? null : (db.transactions.get(fiber) ?? null);
}
