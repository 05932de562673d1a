import { mutationsOf, type Mutation } from './mutation.js';

const SCHEDULER = [
  'test/vm/scheduler/signals.unit.ts',
  'test/vm/scheduler/turns.unit.ts',
  'test/vm/scheduler/sharing.unit.ts',
  'test/vm/interpreter/traps.unit.ts',
  'spec:concurrency/timeout',
];

/** Threads: turns, signals, waits and long work. */
// prettier-ignore
export const RUNTIME: readonly Mutation[] = [
  ...mutationsOf('vm/fibers/signals.ts', ['test/vm/scheduler/signals.unit.ts', 'spec:concurrency/cancel', 'spec:concurrency/timeout'], {
    'a cancellation does not outrank a deadline': ["if (signal.kind === 'cancel') return other.kind !== 'cancel';", "if (signal.kind === 'cancel') return false;"],
    'an inner deadline outranks an outer one': ['fiber.deadlines.indexOf(signal.payload as Deadline) < fiber', 'fiber.deadlines.indexOf(signal.payload as Deadline) > fiber'],
    'an inner timeout ends an outer one': ['return deadlines.some((other, i) => other.thrownAt > began && i < at);', 'return false;'],
    'no timeout in an ensure ends its block': ['cancelling.thrownAt > began)) return true;', 'cancelling.thrownAt > 0)) return true;'],
    'a timeout that is over ends the ensure of an outer one': ['return payload instanceof Deadline && isOutranked(fiber, payload);', 'return false;'],
    'a jump out of an ensure stops a cancellation': ["new Set(['cancel', 'deadline',", "new Set(['deadline',"],
    'a jump out of an ensure stops a timeout': ["new Set(['cancel', 'deadline',", "new Set(['cancel',"],
  }),
  ...mutationsOf('vm/fibers/scheduler.ts', ['spec:concurrency/channel', 'spec:concurrency/sleep', 'spec:concurrency/cancel'], {
    'a value whose receiver ends is lost': ['  cancelWait.giveBack(value);\n', ''],
    'no deadlock is seen after a timer that wakes nobody': ['if (!this.scheduled && this.current === null) this.turnEnds();', ''],
    'a thread that cancels itself goes on to the end of its slice': ['if (fiber === this.current) this.endSlice();', ''],
  }),
  ...mutationsOf('vm/fibers/scheduler.ts', ['spec:keystore/cancelled_as_it_locks'], {
    'a lock that came at once stays with a thread that ends': ['(cancel instanceof Handover && fiber.thrown === null)', 'false'],
  }),
  ...mutationsOf('natives/data/transacting.ts', ['spec:data/cancelled_as_it_begins'], {
    'a transaction that has just begun stays open': ['if (open !== null) unattended(vm, open.transaction.rollback());', ''],
  }),
  ...mutationsOf('natives/data/transacting.ts', ['test/data/postgres.test.ts'], {
    'a COMMIT goes on when its thread is ended': ['      cancel.cancel();\n      return failed(thrown);', '      return failed(thrown);'],
  }),
  ...mutationsOf('natives/data/streaming.ts', ['spec:data/rows_of_threads_that_end'], {
    'rows that are left early keep their connection': ['    fiber?.onEnd(this);\n', ''],
  }),
  ...mutationsOf('vm/watch/quiet.ts', ['spec:testclient/clients_that_leave'], {
    'a virtual clock jumps past the end of a connection': ['(answers && transfers.arrived !== transfers.count)', 'false'],
  }),
  ...mutationsOf('natives/core/begun.ts', ['spec:data/cancelled_transactions'], {
    'a virtual clock jumps during a rollback': ['scheduler.unattended++;', ''],
  }),
  ...mutationsOf('vm/fibers/scheduler.ts', SCHEDULER, {
    'slices are 40 times too long': ['const wanted = (this.given * SLICE_MS) / elapsed;', 'const wanted = (this.given * SLICE_MS * 40) / elapsed;'],
    'slices do not follow the clock': ['      this.calibrate(fiber, startedAt);\n', ''],
    'a timeout ends the cancellation of its thread': ['deadline.thrownAt > 0 && !isOutranked(fiber, deadline)', 'deadline.thrownAt > 0'],
    'a timer outlives its timeout': ['if (deadline.timer !== null) this.timers.cancel(deadline.timer);\n    if (fiber.pending', 'if (fiber.pending'],
    'a deadline stays pending after its block': ['if (fiber.pending?.payload === deadline) fiber.pending = null;', ''],
    'cleanups may take for ever': ['fiber.cancelling!.grace = this.graceOf(fiber);\n      this.interrupt', 'void'],
    'cleanups of timeouts may take for ever': ['fiber === null ? null : this.timers.add(GRACE_MS, () => this.expire(deadline));', 'null;'],
    'a cancelled wait goes on': ["if (typeof cancelWait === 'function') cancelWait();", "if (typeof cancelWait === 'function') void 0;"],
    'an old wait resumes a new one': ["if (fiber.state !== 'waiting' || fiber.waitNumber !== number) return;", "if (fiber.state !== 'waiting') return;"],
    'there may be one thread too many': ['if (this.live.size >= most)', 'if (this.live.size > most)'],
    'threads that woke run as long as they like': ['if (queue.length === 0 || this.ending.length > 0 || (now = this.host.now()) >= until) return;', 'if (queue.length === 0 || this.ending.length > 0) return;'],
    'all busy threads run in each turn': ['if (spent !== undefined) this.slice(spent);', 'if (spent !== undefined) this.slice(spent);\n    for (let more = this.spent.shift(); more !== undefined && this.spent.length > 0; more = this.spent.shift()) this.slice(more);'],
    'the busy thread that came last runs first': ['const spent = this.spent.shift();', 'const spent = this.spent.length > 0 ? this.spent.take(this.spent.length - 1) : undefined;'],
    'threads that others woke wait for the next turn': ['round < MAX_ROUNDS;', 'round < 1;'],
    'threads that wake each other run as long as a clock stands still': ['round < MAX_ROUNDS;', 'round < 10_000;'],
    'threads that wake each other run before those that must end': ['if (queue.length === 0 || this.ending.length > 0 || (now = this.host.now()) >= until) return;', 'if (queue.length === 0 || (now = this.host.now()) >= until) return;'],
    'what arrives waits behind threads that a thread woke': ["(waitEndedBy === 'thread' || waitEndedBy === 'clock' ? this.woken : this.arrived).push(fiber);", 'this.woken.push(fiber);'],
    'what starts waits behind threads that a thread started': ['(this.current === null ? this.arrived : this.woken).push(fiber);', 'this.woken.push(fiber);'],
    'threads that a thread started run with what arrives': ['(this.current === null ? this.arrived : this.woken).push(fiber);', 'this.arrived.push(fiber);'],
    'threads that a thread woke run with what arrives': ["(waitEndedBy === 'thread' || waitEndedBy === 'clock' ? this.woken : this.arrived).push(fiber);", 'this.arrived.push(fiber);'],
    'what the clock woke waits behind what arrives': ["waitEndedBy === 'thread' || waitEndedBy === 'clock' ?", "waitEndedBy === 'thread' ?"],
    'the threads of a request wait behind those that another one started': ['private readonly woken = new FairQueue<Fiber>(MANY_WOKEN);', 'private readonly woken = new RunQueue<Fiber>();'],
    'what arrives for a request waits behind what arrives for another one': ['private readonly arrived = new FairQueue<Fiber>(MANY_WOKEN);', 'private readonly arrived = new FairQueue<Fiber>(100_000);'],
    'the threads of a request share the time with all those of another one': ['private readonly spent = new FairQueue<Fiber>(2);', 'private readonly spent = new RunQueue<Fiber>();'],
    'a thread cancelled before its start runs its ensure': ['if (fiber.slices === 0 && fiber.thrown !== null) {', 'if (false) {'],
    'timers of a thread that ends stay': ['if (fiber.cancelling !== null) this.timers.cancel(fiber.cancelling.grace);\n    for', 'for'],
    'deadlines of a thread that ends stay': ['for (const deadline of fiber.deadlines) if (deadline.timer !== null) this.timers.cancel(deadline.timer);', ''],
    'errors of threads that are watched are reported': ['const unheard = !outcome.ok && !fiber.watched;', 'const unheard = !outcome.ok;'],
    'errors of threads are not reported': ['const unheard = !outcome.ok && !fiber.watched;', 'const unheard = false;'],
    'a signal during a wait that just began is lost': ['    fiber.pending = null;\n    this.interrupt(fiber, signal);\n  }\n\n  private startWait', '    fiber.pending = null;\n  }\n\n  private startWait'],
    'a thread that sleeps is not woken': ['this.resume(fiber, fiber.waitNumber, null, null);', ''],
    'a sleep of no time waits for the clock': ['else if (wait.start <= 0) this.letOthersRun(fiber);', ''],
    'the sleep of an ended wait goes on': ['fiber.cancelWait = this.timers.add(wait.start, new Sleep(this, fiber));', 'this.timers.add(wait.start, new Sleep(this, fiber));'],
    'natives do not end a slice': ['limits.fuel = 0;\n', ''],
    'what the ones that wait for idleness wait for never comes': ['for (const watcher of watchers) watcher();', ''],
    'threads that are started in a loop wait for their turn': ['if (this.arrived.length < BACKLOG_THRESHOLD &&', 'if (this.arrived.length < 100_000 &&'],
    'many fibers that are started run before threads that must end': ['if (this.ending.length > 0) this.runEnding();\n    else this.runWoken();\n  }\n\n  /**\n   * Calls or tells', 'this.runWoken();\n  }\n\n  /**\n   * Calls or tells'],
    'long messages wait for many others': [' && this.backlogBytes < BACKLOG_BYTES) return;', ') return;'],
  }),
  ...mutationsOf('vm/fibers/scheduler.ts', ['test/vm/virtualclock.unit.ts'], {
    'a virtual clock stands still in sleeps of no time': ['    this.awake(fiber);\n    this.onSpent(fiber);', '    this.awake(fiber);'],
  }),
  ...mutationsOf('vm/fibers/runqueue.ts', ['test/vm/scheduler/runqueue.unit.ts'], {
    'those that came later overtake': ['if (this.outgoing.length === 0) this.turnOver();', 'this.turnOver();\n    this.outgoing.reverse();'],
    'those that came first are lost': ['if (outgoing.length > 0) for (const item of outgoing) incoming.push(item);', ''],
    'the index counts from the last one': ['this.outgoing.length - 1 - index', 'index'],
    'only what just came can be taken out': ['[this.incoming, this.outgoing]) {', '[this.incoming]) {'],
  }),
  ...mutationsOf('vm/fibers/fairqueue.ts', ['test/vm/scheduler/runqueue.unit.ts'], {
    'few threads take turns by context': ['if (this.differ && this.line.length >= this.many) this.group();', 'if (this.differ) this.group();'],
    'the context that had its turn is next': ['this.groups.delete(context);\n    if (queue.length > 1) this.groups.set(context, queue);', 'if (queue.length === 1) this.groups.delete(context);'],
    'a context whose threads have all run keeps its place': ['if (queue.length > 1) this.groups.set', 'this.groups.set'],
    'a context whose last thread was chosen stays': ['if (queue.length === 0) this.groups.delete(context);\n        return', 'return'],
    'a context whose last thread is taken out stays': ['if (queue.length === 0) this.groups.delete(item.context);', ''],
    'threads that are taken out still count': ['this.took(item);\n      return true;', 'return true;'],
    'contexts take turns for ever once there were many': ['if (--this.grouped === 0) this.groups = null;', '--this.grouped;'],
  }),
  ...mutationsOf('vm/fibers/waitingline.ts', ['test/vm/scheduler/waitingline.unit.ts'], {
    'a context that had its turn is next': ['if (group.size > 0 && this.groups.size > 1) {', 'if (group.size < 0) {'],
    'an empty context stays': ['this.groups.delete(item.context);\n    this.spare', 'this.spare'],
    'two contexts share a list': ['this.spare = null;', ''],
    'those who left are counted': ['group.delete(item);\n    this.length--;', 'group.delete(item);'],
  }),
  ...mutationsOf('natives/turns.ts', ['test/natives/turns.unit.ts'], {
    'operations count alone': ['signal: AbortSignal, context = contextOf(signal)): Promise<T>', 'signal: AbortSignal, context: object = signal): Promise<T>'],
    'an operation that fails keeps its turn': ['} finally {\n      this.pass();\n    }', '} finally {\n    }'],
    'aborted ones stay in the line': ['this.line.leave(waiter);\n        reject', 'reject'],
    'a turn ends twice': ['if (!isOver) this.pass();', 'this.pass();'],
    'a free turn is lost': ['if (next === null) this.free++;', 'if (next === null) return;'],
  }),
  ...mutationsOf('vm/fibers/timers.ts', ['test/vm/scheduler/turns.unit.ts'], {
    'the timer that takes the place of a removed one never moves up': ['if (isBefore(last, timer)) this.siftUp(last, place);\n    else this.siftDown', 'this.siftDown'],
    'the timer that takes the place of a removed one never moves down': ['else this.siftDown(last, place);', 'else this.put(last, place);'],
    'a timer that has run is removed once more': ['if (timer.place < 0) return;', ''],
    'a timer does not know where it went': ['    this.heap[i] = timer;\n    timer.place = i;', '    this.heap[i] = timer;\n    timer.place = 0;'],
    'timers of the same time run in any order': ['(a.at === b.at && a.order < b.order)', '(a.at === b.at && a.order > b.order)'],
  }),
  ...mutationsOf('vm/watch/deadlock.ts', ['test/vm/scheduler/turns.unit.ts'], {
    'the search for deadlocks lists all threads in each turn': ['if (!isStuck(vm) || victim() === null) return;', 'if ([...vm.scheduler.live].length === 0 || !isStuck(vm)) return;'],
  }),
  ...mutationsOf('vm/fibers/fiber.ts', SCHEDULER, {
    'what a failed thread leaves is not undone': ['if (!outcome.ok) for (const undo of this.leftovers ?? []) undo();', ''],
  }),
  ...mutationsOf('vm/values/steps.ts', ['test/vm/longwork.unit.ts', 'test/natives/core/longsteps.unit.ts'], {
    'steps skip their first element': ['looksSoFar() - before < MAX_LOOKS) visit(i++);', 'looksSoFar() - before < MAX_LOOKS) visit(++i);'],
    'the last step is too long': ['Math.min(i + STEP, count)', 'i + STEP'],
  }),
  ...mutationsOf('vm/fibers/longwork.ts', ['test/vm/longwork.unit.ts', 'spec:limits/long_', 'test/natives/core/longsteps.unit.ts'], {
    'work for a request waits for all the work of another one': ['private readonly jobs = new FairQueue<Job>(2);', 'private readonly jobs = new FairQueue<Job>(1000);'],
    'long work is done in one piece': ['this.stepwise || this.host.now() >= end', 'this.stepwise && this.host.now() >= end'],
    'long work that is dropped goes on': ['this.jobs.remove(job);', ''],
    'errors of long work end the process': ['      job.fail(error);', '      throw error;'],
    'long work stops after its second piece': ['this.jobs.push(job); afterPiece(job);', 'afterPiece(job);'],
  }),
  ...mutationsOf('vm/values/methodgroup.ts', ['test/vm/values/methodgroup.unit.ts'], {
    'methods are made at each look': ['return (this.made ??= this.make());', 'return this.make();'],
    'methods are made when they are declared': ['this.waiting.push(methods);', 'this.waiting.push(methods);\n    allOf([methods]);'],
    'methods that could not be made are lost': [
      'for (const fn of allOf(this.waiting)) this.byName.set(fn.name, fn);\n    this.waiting = [];',
      'const waiting = this.waiting;\n    this.waiting = [];\n    for (const fn of allOf(waiting)) this.byName.set(fn.name, fn);',
    ],
  }),
  ...mutationsOf('vm/values/structured.ts', ['spec:language/enums', 'spec:language/patterns'], {
    'every record is of an enum with variants': ['this.variants.get(value.type.name.slice(this.name.length + 1)) === value.type', 'true'],
  }),
  ...mutationsOf('vm/values/numbers/bits.ts', ['spec:language/everyday'], {
    'shifts lose high bits': ['if (Number.isSafeInteger(value)) return compact(value);', 'return value + 0;'],
    'bits beyond 53 stay numbers': ['value < Number.MIN_SAFE_INTEGER ? BigInt(value) : compact(value)', 'value'],
    'bits from 32 on are lost': ['const high = (a: number): number => Math.floor(a / TWO_32);', 'const high = (a: number): number => a * 0;'],
    'a shift to the right of a negative number gives 0': ['(a < 0 ? -1 : 0)', '0'],
    'shifts have no limit': ['return bitsAbove(shifted) ? failTooManyBits() : normalize(shifted);', 'return normalize(shifted);'],
  }),
  ...mutationsOf('vm/calls/arguments.ts', ['spec:language/functions'], {
    'options of a `{}` default are not collected': ["params[last].defaultText !== '{}'", 'true'],
    'calls share their hash of options': ["if (kind === 'options') regs[i] = new Hash();", "if (kind === 'options') regs[i] = (fn as unknown as { shared: Hash }).shared ??= new Hash();"],
  }),
  ...mutationsOf('vm/watch/memory.ts', ['test/vm/memory.unit.ts'], {
    'garbage ends a thread soon after a collection': ['isOverfull ? Math.min(this.collecting * OVERFULL_SHARE, COLLECT_MS) : COLLECT_MS;', 'COLLECT_MS;'],
    'collections leave no time for anything else': ['isOverfull ? Math.min(this.collecting * OVERFULL_SHARE, COLLECT_MS) : COLLECT_MS;', 'isOverfull ? 0 : COLLECT_MS;'],
    'many small threads of a request never end': ['for (const consumer of isShared ? group.members : largest(group, least)) {', 'for (const consumer of largest(group, least)) {'],
    'many small requests never end': ['const groups = isCrowd ? all.members : largest(all, least);', 'const groups = largest(all, least);'],
    'requests end although all together have allocated little': ['all.allocated >= limit * CROWD && isEven(all, least);', 'isEven(all, least);'],
    'threads end that have allocated little beside one that has allocated most': ['const isShared = isEven(group, least);', 'const isShared = true;'],
    'others end while threads that were told still free their memory': ['if (used < limit * LAST && this.isEnding()) return;', ''],
    'nobody ends any more while one is told to': ['if (used < limit * LAST && this.isEnding()) return;', 'if (this.isEnding()) return;'],
    'the fewest threads end each time that memory is short': ['isSoon ? Math.max(LEAST_TARGET, this.target - TARGET_STEP) : TARGET;', 'TARGET;'],
  }),
];
