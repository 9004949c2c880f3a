import type { JsonObject } from '#core';
import {
  allOf,
  ANY_COMMAND,
  type Clock,
  type ExecutorRecord,
  type ExecutorRegistry,
  type RecordStore,
  recordsOf,
  WORKER_DRAIN,
} from '#ports';
import { ANNOUNCE_EVERY_MS, SILENT_AFTER_MS } from './executor-directory.js';
import type { PollOrder, WorkerCommand, WorkerRegistration } from './work-desk.js';
import { type Words, wordsIn, workerRecord } from './worker-record.js';

/** For so long people are told of a silent worker, in milliseconds. */
const TOLD_FOR_MS = 3_600_000;

/** How long an answer about secret members is good for, in milliseconds. */
const KNOWN_FOR_MS = 2_000;

/** A worker as this gateway knows it. */
interface KnownWorker extends Words {
  /** Milliseconds since 1970, of its first and its last call. */
  readonly since: number;
  seenAt: number;
  /** By the monotonic clock. */
  announcedAt: number;
  /** The announcement that was begun last: those of a worker go one after another. */
  announcing: Promise<void>;
  isDraining: boolean;
  /**
   * When an operator said so here last, or it was read as the worker came to be known, by the
   * monotonic clock: what was read before does not count. Infinity: that is being stored.
   */
  toldAt: number;
  /** Its last poll; null: it has not polled here. */
  order: PollOrder | null;
}

/** The dependencies of a roster. */
interface RosterParts {
  readonly clock: Clock;
  readonly registry: ExecutorRegistry;
  /** Absent: only this process knows which workers drain. */
  readonly records?: RecordStore | undefined;
  /** Of Backstep. */
  readonly version: string;
  /** Claims that a worker has, as far as is known here. */
  readonly busyOf: (worker: string) => number;
}

/** The name is that of a worker of another key, which was heard of lately. */
export class WorkerNameTaken extends Error {
  override readonly name = 'WorkerNameTaken';
}

/** Knows which workers there are, and announces them to all processes. */
export class WorkerRoster {
  private readonly known = new Map<string, KnownWorker>();
  /** Workers that were heard of since the last tick, and never said here what they serve. */
  private readonly strangers = new Set<string>();
  /** Orders of operators, here and so far, that a worker drains or does not. */
  private drainOrders = 0;
  /** The read of all records that is under way, and the one that begins after it. */
  private reading: Promise<unknown> = Promise.resolve();
  private nextRead: Promise<readonly ExecutorRecord[]> | null = null;
  /** All that was ever announced of a module; `at`: by the monotonic clock. */
  private readonly announced = new Map<string, { at: number; records: Promise<Announced> }>();

  private readonly drains;

  constructor(private readonly parts: RosterParts) {
    const { records } = parts;
    this.drains = records === undefined ? null : recordsOf(records, WORKER_DRAIN);
  }

  /** A worker tells what it serves. Throws `StoreUnavailable` and `WorkerNameTaken`. */
  async register(registration: WorkerRegistration): Promise<void> {
    const { keyMark, modules, worker } = registration;
    const records = await this.ownRecords(worker, { keyMark, modules: Object.keys(modules) });
    await this.meet(worker, records, () => ({ registration, isRegistered: true }));
  }

  /**
   * A worker polls: one that is not known serves what the poll names. Resolves to whether it
   * drains. Throws `StoreUnavailable`.
   */
  async polled(order: PollOrder): Promise<boolean> {
    const { worker } = order;
    const before = this.known.get(worker);
    const { modules: served = {} } = before?.registration ?? {};
    const isServed = order.modules.every((module) => Object.hasOwn(served, module));
    if (before !== undefined && isServed) {
      if (order.waitMs > 0) before.order = order;
      before.seenAt = this.parts.clock.now();
      return before.isDraining;
    }
    const records = await this.recordsOf(worker);
    const met = await this.meet(worker, records, (known) => polledWords(order, { known, records }));
    met.order = order;
    return met.isDraining;
  }

  /** The last poll of a worker here; null: there was none. */
  orderOf(worker: string): PollOrder | null {
    return this.known.get(worker)?.order ?? null;
  }

  /** The build that a worker registered with; undefined: it named none. */
  buildOf(worker: string): string | undefined {
    return this.known.get(worker)?.registration.build;
  }

  /** A worker was heard of: one that holds a claim may have polled another gateway. */
  heard(worker: string): void {
    const known = this.known.get(worker);
    if (known === undefined) this.strangers.add(worker);
    else known.seenAt = this.parts.clock.now();
  }

  /** Whether an operator has a worker drain, as far as is known here. */
  isDraining(worker: string): boolean {
    return this.known.get(worker)?.isDraining === true;
  }

  /**
   * The secret members of what a command of a worker gives: as it has said itself, else as any that
   * had the command has announced. Throws `StoreUnavailable`.
   */
  async secretsOf(worker: string, module: string, command: string): Promise<readonly string[]> {
    const own = this.termsOf(worker, module, command);
    if (own !== undefined) return own.secrets ?? [];
    const records = await this.announcedOf(module);
    return records.flatMap(({ secrets = {} }) => {
      return Object.hasOwn(secrets, command) ? (secrets[command] ?? []) : [];
    });
  }

  /**
   * The schema of what a command gives, as its worker itself has declared; null: it has not. Throws
   * `StoreUnavailable`.
   */
  async outputOf(worker: string, module: string, command: string): Promise<JsonObject | null> {
    const own = this.termsOf(worker, module, command);
    if (own !== undefined) return own.output ?? null;
    const records = await this.announcedOf(module);
    const running = records.find(({ instance, stopped }) => instance === worker && !stopped);
    const { outputs = {} } = running ?? {};
    return Object.hasOwn(outputs, command) ? (outputs[command] ?? null) : null;
  }

  /** The record of a worker as far as more is known here than was announced. */
  current(record: ExecutorRecord): ExecutorRecord {
    const known = record.worker === true ? this.known.get(record.instance) : undefined;
    if (known === undefined) return record;
    const { isDraining, seenAt } = known;
    const busy = this.parts.busyOf(record.instance);
    const { draining: _, ...rest } = record;
    // Another gateway may have heard of it since.
    const latest = Math.max(seenAt, record.seenAt);
    return { ...rest, busy, seenAt: latest, ...(isDraining && { draining: true }) };
  }

  /** Workers that have fallen silent within the last hour. Throws `StoreUnavailable`. */
  async silent(): Promise<readonly ExecutorRecord[]> {
    const now = this.parts.clock.now();
    return (await this.records()).filter((record) => {
      return now - this.current(record).seenAt > SILENT_AFTER_MS;
    });
  }

  /** False: no such worker is known. Throws `StoreUnavailable`. */
  async drain(worker: string, isDraining: boolean): Promise<boolean> {
    const records = await this.recordsOf(worker);
    if (records.length === 0) return false;
    const { clock, registry } = this.parts;
    this.note(worker, { isDraining, toldAt: Infinity });
    try {
      if (isDraining) await this.drains?.put({ worker, since: clock.now() }, 'any');
      else await this.drains?.remove(worker, 'any');
    } finally {
      this.note(worker, { isDraining, toldAt: clock.monotonic() });
    }
    // People see it at once.
    for (const { draining: _, ...record } of records) {
      await registry.announce({ ...record, ...(isDraining && { draining: true }) });
    }
    return true;
  }

  /**
   * The records of a worker for one that asks with a key of such a mark. A worker that registered
   * with another key keeps its name until it is silent: until then `WorkerNameTaken` is thrown.
   * `modules`: those that count; absent: all. Throws `StoreUnavailable`.
   */
  async ownRecords(
    worker: string,
    {
      keyMark,
      modules,
    }: { readonly keyMark?: string | undefined; readonly modules?: readonly string[] },
  ): Promise<readonly ExecutorRecord[]> {
    const records = await this.recordsOf(worker);
    const others = records.filter(({ keyMark: owner = keyMark, module }) => {
      return owner !== keyMark && modules?.includes(module) !== false;
    });
    if (others.length === 0) return records;
    const silentBefore = this.parts.clock.now() - SILENT_AFTER_MS;
    const isHeard = others.some((record) => this.current(record).seenAt >= silentBefore);
    if (isHeard) throw new WorkerNameTaken('a worker of another key has this name');
    await this.withdraw(worker);
    return [];
  }

  /** The worker has stopped. Throws `StoreUnavailable`. */
  async withdraw(worker: string): Promise<void> {
    this.known.delete(worker);
    for (const { module } of await this.recordsOf(worker)) {
      await this.parts.registry.withdraw(worker, module);
    }
    await this.drains?.remove(worker, 'any');
  }

  /**
   * Announces workers that were heard of, and learns which of them an operator has drain. `isHere`:
   * whether a worker waits for an answer now. Throws `StoreUnavailable`.
   */
  async tick(isHere: (worker: string) => boolean): Promise<void> {
    const { clock } = this.parts;
    await this.meetStrangers();
    const now = clock.now();
    const readAt = clock.monotonic();
    const drained = this.known.size === 0 ? null : await this.readDrained(now);
    for (const [worker, known] of this.known) {
      if (isHere(worker)) known.seenAt = now;
      if (drained !== null && readAt > known.toldAt) known.isDraining = drained.has(worker);
      if (now - known.seenAt > SILENT_AFTER_MS) this.known.delete(worker);
      // One that turned to another gateway is announced by that.
      else if (now - known.seenAt <= 2 * ANNOUNCE_EVERY_MS) await this.announce(known);
    }
  }

  /** Modules of a worker that was heard of within an hour. Throws `StoreUnavailable`. */
  async modulesOf(worker: string): Promise<readonly string[]> {
    return (await this.recordsOf(worker)).map(({ module }) => module);
  }

  /** A command as its worker has registered it; undefined: that is not known here. */
  private termsOf(worker: string, module: string, command: string): WorkerCommand | undefined {
    const known = this.known.get(worker);
    const commands = known?.isRegistered === true ? known.registration.modules[module] : {};
    return commands !== undefined && Object.hasOwn(commands, command)
      ? commands[command]
      : undefined;
  }

  /** `wordsOf`: its words, by those that are known here when they come to be kept. */
  private async meet(
    worker: string,
    records: readonly ExecutorRecord[],
    wordsOf: (known: KnownWorker | undefined) => Words,
  ): Promise<KnownWorker> {
    const isToDrain = this.known.has(worker) ? false : await this.isToDrain(worker);
    const now = this.parts.clock.now();
    const known = this.known.get(worker);
    const met: KnownWorker = {
      ...wordsOf(known),
      since: known?.since ?? records[0]?.since ?? now,
      seenAt: now,
      announcedAt: -Infinity,
      announcing: known?.announcing ?? Promise.resolve(),
      isDraining: known?.isDraining ?? isToDrain,
      // A look at all of them that is under way may have read its mark before that was written.
      toldAt: known?.toldAt ?? this.parts.clock.monotonic(),
      order: known?.order ?? null,
    };
    this.known.set(worker, met);
    await this.announce(met);
    return met;
  }

  /** Their words are in the records that another gateway has announced. */
  private async meetStrangers(): Promise<void> {
    for (const worker of this.strangers) {
      this.strangers.delete(worker);
      const records = await this.recordsOf(worker);
      const words = wordsIn(records);
      if (words !== null) await this.meet(worker, records, (known) => known ?? words);
    }
  }

  private async announce(known: KnownWorker): Promise<void> {
    const now = this.parts.clock.monotonic();
    if (now - known.announcedAt < ANNOUNCE_EVERY_MS / 2) return;
    known.announcedAt = now;
    known.announcing = known.announcing.catch(() => {}).then(() => this.tellOf(known));
    await known.announcing;
  }

  private async tellOf(known: KnownWorker): Promise<void> {
    const { busyOf, registry, version } = this.parts;
    const busy = busyOf(known.registration.worker);
    for (const [module, commands] of Object.entries(known.registration.modules)) {
      const record = workerRecord(known, module, commands);
      await registry.announce({ ...record, version, busy });
    }
  }

  /** An operator has said something of a worker here. */
  private note(
    worker: string,
    { isDraining, toldAt }: Pick<KnownWorker, 'isDraining' | 'toldAt'>,
  ): void {
    this.drainOrders += 1;
    const known = this.known.get(worker);
    if (known !== undefined) Object.assign(known, { isDraining, toldAt, announcedAt: -Infinity });
  }

  /** Of a worker that is not known yet: what is said of it during the read finds no place. */
  private async isToDrain(worker: string): Promise<boolean> {
    for (;;) {
      const { drainOrders } = this;
      const drain = (await this.drains?.get(worker)) ?? null;
      if (drainOrders === this.drainOrders) return drain !== null;
    }
  }

  /** The workers that drain, without those long gone; null: only this process knows. */
  private async readDrained(now: number): Promise<ReadonlySet<string> | null> {
    const { drains } = this;
    if (drains === null) return null;
    const workers = new Set<string>();
    for (const { since, worker } of await allOf(drains)) {
      workers.add(worker);
      const mayBeGone = now - since > TOLD_FOR_MS && !this.known.has(worker);
      if (mayBeGone && (await this.recordsOf(worker)).length === 0) {
        await drains.remove(worker, 'any');
      }
    }
    return workers;
  }

  private async recordsOf(worker: string): Promise<readonly ExecutorRecord[]> {
    return (await this.records()).filter(({ instance }) => instance === worker);
  }

  /** Workers that come back all at once share a read: one each would cost the square of them. */
  private records(): Promise<readonly ExecutorRecord[]> {
    this.nextRead ??= this.reading.then(() => {
      this.nextRead = null;
      const read = this.readRecords();
      this.reading = read.catch(() => []);
      return read;
    });
    return this.nextRead;
  }

  private async readRecords(): Promise<readonly ExecutorRecord[]> {
    const { clock, registry } = this.parts;
    const records = await registry.listExecutors(clock.now() - TOLD_FOR_MS);
    return records.filter(({ worker }) => worker === true);
  }

  private announcedOf(module: string): Promise<Announced> {
    const at = this.parts.clock.monotonic();
    const known = this.announced.get(module);
    if (known !== undefined && at - known.at < KNOWN_FOR_MS) return known.records;
    const records = this.parts.registry.listKnown(0, module);
    this.announced.set(module, { at, records });
    records.catch(() => this.announced.delete(module));
    return records;
  }
}

type Announced = readonly Pick<ExecutorRecord, 'instance' | 'outputs' | 'secrets' | 'stopped'>[];

/** The words of a worker that polls: what it has said before, and modules that this poll adds. */
function polledWords(
  { build, commands = [ANY_COMMAND], max, modules, worker }: PollOrder,
  {
    known,
    records,
  }: { readonly known: Words | undefined; readonly records: readonly ExecutorRecord[] },
): Words {
  const named = Object.fromEntries(
    commands.map((command): [string, WorkerCommand] => [command, {}]),
  );
  const told = wordsIn(records);
  const before = known ?? (told?.isRegistered === true ? told : undefined);
  const said = before?.registration ?? { worker, modules: {}, slots: max };
  const registration = {
    ...said,
    ...(build !== undefined && { build }),
    modules: { ...Object.fromEntries(modules.map((name) => [name, named])), ...said.modules },
  };
  return { registration, isRegistered: before?.isRegistered === true };
}
