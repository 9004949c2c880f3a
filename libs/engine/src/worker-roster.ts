import { ANY_COMMAND, type Clock, type ExecutorRecord, type ExecutorRegistry } from '#ports';
import type { PollOrder, WorkerCommand, WorkerRegistration, WorkerStanding } from './work-desk.js';

/** How often a worker that is heard of is announced, in milliseconds. */
const ANNOUNCE_EVERY_MS = 10_000;

/** A worker that was not heard of for so long is gone, in milliseconds. */
const GONE_AFTER_MS = 35_000;

/** A worker as this gateway knows it. */
interface KnownWorker {
  registration: WorkerRegistration;
  /** Milliseconds since 1970, of its first and its last call. */
  readonly since: number;
  seenAt: number;
  /** By the monotonic clock. */
  announcedAt: number;
  isDraining: boolean;
  /** Its last poll; null: it has not polled here. */
  order: PollOrder | null;
}

/** The dependencies of a roster. */
interface RosterParts {
  readonly clock: Clock;
  readonly registry: ExecutorRegistry;
  /** Of Backstep. */
  readonly version: string;
  /** Claims that a worker has, as far as is known here. */
  readonly busyOf: (worker: string) => number;
}

/** Knows which workers there are, and announces them to all processes. */
export class WorkerRoster {
  private readonly known = new Map<string, KnownWorker>();

  constructor(private readonly parts: RosterParts) {}

  /** A worker tells what it serves. Throws `StoreUnavailable`. */
  async register(registration: WorkerRegistration): Promise<void> {
    await this.meet(registration.worker, registration);
  }

  /**
   * A worker polls: one that is not known serves what the poll names. Resolves to whether it
   * drains. Throws `StoreUnavailable`.
   */
  async polled(order: PollOrder): Promise<boolean> {
    const { worker } = order;
    const known = this.known.get(worker);
    if (known !== undefined && order.waitMs > 0) known.order = order;
    const names = order.modules.filter((module) => {
      return known === undefined || !Object.hasOwn(known.registration.modules, module);
    });
    if (known !== undefined && names.length === 0) {
      known.seenAt = this.parts.clock.now();
      return known.isDraining;
    }
    const commands = order.commands ?? [ANY_COMMAND];
    const named = Object.fromEntries(
      commands.map((command): [string, WorkerCommand] => [command, {}]),
    );
    const before = known?.registration ?? { worker, modules: {}, slots: order.max };
    const modules = {
      ...before.modules,
      ...Object.fromEntries(names.map((name) => [name, named])),
    };
    const { build } = order;
    const met = await this.meet(worker, {
      ...before,
      ...(build !== undefined && { build }),
      modules,
    });
    met.order = order;
    return met.isDraining;
  }

  /** The last poll of a worker here; null: there was none. */
  orderOf(worker: string): PollOrder | null {
    return this.known.get(worker)?.order ?? null;
  }

  /** A worker was heard of. */
  heard(worker: string): void {
    const known = this.known.get(worker);
    if (known !== undefined) known.seenAt = this.parts.clock.now();
  }

  /** Whether an operator has a worker drain, as far as is known here. */
  isDraining(worker: string): boolean {
    return this.known.get(worker)?.isDraining === true;
  }

  /** The secret members of what a command of a worker gives. Throws `StoreUnavailable`. */
  async secretsOf(worker: string, module: string, command: string): Promise<readonly string[]> {
    const known = this.known.get(worker)?.registration.modules[module];
    if (known !== undefined) return known[command]?.secrets ?? [];
    const all = (await this.records()).filter((record) => record.module === module);
    const own = all.filter(({ instance }) => instance === worker);
    // One that is taken for gone may report all the same: what others call a secret is one.
    const records = own.length > 0 ? own : all;
    const names = records.flatMap(({ secrets = {} }) => {
      return Object.hasOwn(secrets, command) ? (secrets[command] ?? []) : [];
    });
    return [...new Set(names)];
  }

  /** False: no such worker is known. Throws `StoreUnavailable`. */
  async drain(worker: string, isDraining: boolean): Promise<boolean> {
    const known = this.known.get(worker);
    if (known !== undefined) known.isDraining = isDraining;
    const records = await this.recordsOf(worker);
    for (const { draining: _, ...record } of records) {
      await this.parts.registry.announce({ ...record, ...(isDraining && { draining: true }) });
    }
    return records.length > 0;
  }

  /** The worker has stopped. Throws `StoreUnavailable`. */
  async withdraw(worker: string): Promise<void> {
    this.known.delete(worker);
    for (const { module } of await this.recordsOf(worker)) {
      await this.parts.registry.withdraw(worker, module);
    }
  }

  /**
   * Announces workers that were heard of, and learns which of them an operator has drain. `isHere`:
   * whether a worker waits for an answer now. Throws `StoreUnavailable`.
   */
  async tick(isHere: (worker: string) => boolean): Promise<void> {
    const now = this.parts.clock.now();
    const records = this.known.size === 0 ? [] : await this.records();
    for (const [worker, known] of this.known) {
      if (isHere(worker)) known.seenAt = now;
      if (now - known.seenAt > GONE_AFTER_MS) this.known.delete(worker);
      else await this.announce(known, records);
    }
  }

  /** Workers that were heard of lately, by their modules. Throws `StoreUnavailable`. */
  async standings(): Promise<readonly WorkerStanding[]> {
    return (await this.records()).map((record) => {
      const { build, busy, commands, host, instance, module, sdk, seenAt, since, slots } = record;
      return {
        worker: instance,
        module,
        commands,
        ...(build !== undefined && { build }),
        host,
        ...(sdk !== undefined && { sdk }),
        busy,
        slots,
        isDraining: record.draining === true,
        seenAt,
        since,
      };
    });
  }

  private async meet(worker: string, registration: WorkerRegistration): Promise<KnownWorker> {
    const now = this.parts.clock.now();
    const records = await this.recordsOf(worker);
    const known = this.known.get(worker);
    const met: KnownWorker = {
      registration,
      since: known?.since ?? records[0]?.since ?? now,
      seenAt: now,
      announcedAt: -Infinity,
      isDraining: records.some(({ draining }) => draining === true),
      order: known?.order ?? null,
    };
    this.known.set(worker, met);
    await this.announce(met, records);
    return met;
  }

  private async announce(known: KnownWorker, records: readonly ExecutorRecord[]): Promise<void> {
    const { clock, registry } = this.parts;
    const { modules, worker } = known.registration;
    const own = records.filter(({ instance }) => instance === worker);
    if (own.length > 0) known.isDraining = own.some(({ draining }) => draining === true);
    const now = clock.monotonic();
    if (now - known.announcedAt < ANNOUNCE_EVERY_MS / 2) return;
    known.announcedAt = now;
    for (const [module, commands] of Object.entries(modules)) {
      await registry.announce(this.recordOf(known, module, commands));
    }
  }

  private recordOf(
    { isDraining, registration, seenAt, since }: KnownWorker,
    module: string,
    commands: Readonly<Record<string, WorkerCommand>>,
  ): ExecutorRecord {
    const { build, host = '', sdk, slots, worker } = registration;
    const entries = Object.entries(commands);
    const secrets = entries.flatMap(([name, command]) => {
      return command.secrets === undefined ? [] : [[name, command.secrets] as const];
    });
    const schemas = entries.flatMap(([name, { parameters }]) => {
      return parameters === undefined ? [] : [[name, parameters] as const];
    });
    return {
      instance: worker,
      module,
      version: this.parts.version,
      ...(build !== undefined && { build }),
      host,
      pid: 0,
      commands: Object.keys(commands),
      parameters: Object.fromEntries(schemas),
      ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
      since,
      busy: this.parts.busyOf(worker),
      slots,
      seenAt,
      worker: true,
      ...(sdk !== undefined && { sdk }),
      ...(isDraining && { draining: true }),
    };
  }

  private async recordsOf(worker: string): Promise<readonly ExecutorRecord[]> {
    return (await this.records()).filter(({ instance }) => instance === worker);
  }

  private async records(): Promise<readonly ExecutorRecord[]> {
    const { clock, registry } = this.parts;
    const records = await registry.listExecutors(clock.now() - GONE_AFTER_MS);
    return records.filter(({ worker }) => worker === true);
  }
}
