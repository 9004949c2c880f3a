import { Gauge, type Registry } from 'prom-client';
import { type Engine, Loop } from '#engine';
import { withinLimit } from '#machine';
import {
  type Clock,
  type CommandCatalogue,
  countHolding,
  type DefinitionStore,
  type LockStore,
  type Observer,
  type RecordReader,
  type StepTransport,
  StoreUnavailable,
  type TaskStore,
} from '#ports';
import type { PrometheusObserver } from '#platform';
import type { Companion } from './start-process.js';

/** How often the flows are looked at, in milliseconds. */
const LOOK_MS = 60_000;

/** The parts of a process that follow which flows are retired. */
interface RetiredFlowsParts {
  readonly clock: Clock;
  readonly definitions: Pick<DefinitionStore, 'listHeads'>;
  readonly metrics: Pick<PrometheusObserver, 'dropFlows'>;
  readonly observer: Observer;
}

/** Lines of locks that are read for one answer at most, and at a time. */
const LINES_MAX = 1_000;

const LINES_AT_A_TIME = 100;

/** The parts that are read with the metrics. */
export interface LiveParts {
  readonly store: TaskStore;
  readonly transport: StepTransport;
  readonly catalogue: CommandCatalogue;
  readonly locks: Pick<LockStore, 'listLines'>;
  readonly unreadable: Pick<RecordReader, 'list'>;
  /** Whether the process looks after tasks: only such a one counts locks. */
  readonly isGoverning: boolean;
  readonly slots: Pick<Engine['pieces']['state']['slots'], 'inUse'>;
  /** Commands at a time, per module. */
  readonly concurrency: number;
  readonly version: string;
  /** The time of tasks. */
  readonly clock: Clock;
  /** The time of this machine. */
  readonly machine: Clock;
}

/** One value of a gauge. */
interface LiveSample {
  readonly labels: Readonly<Record<string, string>>;
  /** Null: it cannot be read now. */
  readonly value: number | null;
}

/** A gauge whose values are read from outside the process, such as from the store. */
interface LiveGaugeOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  /** Reads all its values; a rejection says that none can be read now. */
  read(this: void): Promise<readonly LiveSample[]>;
}

/** Longest wait for the values: far less than Prometheus waits for an answer, in milliseconds. */
const READ_MS = 2_000;

/** Modules whose queues a process tells of although it does not serve them. */
export class WatchedQueues {
  private source: () => readonly string[] = () => [];

  /** `source` is asked whenever the metrics are read. */
  watch(source: () => readonly string[]): void {
    this.source = source;
  }

  modules(): readonly string[] {
    return this.source();
  }
}

/**
 * Metrics of the present, read when they are asked for: tasks that are not final, by status,
 * records that cannot be read, messages that wait for the modules this process serves or watches,
 * its slots for them, who holds locks and who waits for one, and how wrong this machine's clock is.
 * Gives the queues that it watches, which are none yet.
 */
export function addLiveMetrics(registry: Registry, parts: LiveParts): WatchedQueues {
  const queues = new WatchedQueues();
  const waiting = waitingMessages(parts, queues);
  const gauges = [liveTasks(parts), unreadableRecords(parts), waiting, brokerTroubles(parts)];
  gauges.push(slotsOf(parts), clockOffset(parts));
  if (parts.isGoverning) gauges.push(lockTickets(parts));
  for (const gauge of [...gauges, buildInfo(parts)]) registry.registerMetric(gauge);
  return queues;
}

function liveTasks({ clock, store }: LiveParts): Gauge {
  return liveGauge({
    name: 'backstep_tasks_live',
    help: 'Tasks that are not final, by status',
    labels: ['status'],
    clock,
    async read() {
      const counts = Object.entries(await store.countLive());
      return counts.map(([status, value]) => ({ labels: { status }, value }));
    },
  });
}

function unreadableRecords({ unreadable }: LiveParts): Gauge {
  return new Gauge({
    name: 'backstep_records_unreadable',
    help: 'Stored records besides tasks that this process has found it cannot read, by kind',
    labelNames: ['kind'],
    registers: [],
    collect() {
      this.reset();
      for (const { kind } of unreadable.list()) this.inc({ kind });
    },
  });
}

function waitingMessages({ catalogue, clock, transport }: LiveParts, queues: WatchedQueues): Gauge {
  return liveGauge({
    name: 'backstep_queue_messages',
    help: 'Messages that wait in the queues of the modules this process serves, or flows use',
    labels: ['module'],
    clock,
    read() {
      const modules = [...new Set([...catalogue.modules(), ...queues.modules()])];
      return Promise.all(
        modules.map(async (module) => {
          return { labels: { module }, value: await transport.depth(module) };
        }),
      );
    },
  });
}

const TROUBLES = ['alarm', 'not_sent', 'not_received'] as const;

function brokerTroubles({ transport }: LiveParts): Gauge {
  return new Gauge({
    name: 'backstep_broker_troubles',
    help: 'Alarms of the broker, and queues that do not take messages or subscriptions, by kind',
    labelNames: ['kind'],
    registers: [],
    collect() {
      const troubles = transport.troubles();
      for (const kind of TROUBLES) {
        this.set({ kind }, troubles.filter((trouble) => trouble.kind === kind).length);
      }
    },
  });
}

function slotsOf({ catalogue, concurrency, slots }: LiveParts): Gauge {
  return new Gauge({
    name: 'backstep_slots',
    help: 'Commands that this process can run at a time, for each module that it serves',
    labelNames: ['module', 'state'],
    registers: [],
    collect() {
      this.reset();
      for (const module of catalogue.modules()) {
        const busy = slots.inUse(module);
        this.set({ module, state: 'busy' }, busy);
        this.set({ module, state: 'free' }, Math.max(0, concurrency - busy));
      }
    },
  });
}

function lockTickets({ clock, locks }: LiveParts): Gauge {
  return liveGauge({
    name: 'backstep_lock_tickets',
    help: 'Tasks and steps that hold a lock, or wait for one, for each lock of theirs',
    labels: ['state'],
    clock,
    async read() {
      const counts = Object.entries(await countTickets(locks));
      return counts.map(([state, value]) => ({ labels: { state }, value }));
    },
  });
}

async function countTickets(
  locks: LiveParts['locks'],
): Promise<{ readonly held: number; readonly waiting: number }> {
  let [held, waiting, count] = [0, 0, 0];
  let after: string | undefined;
  do {
    const lines = await locks.listLines({ after, limit: LINES_AT_A_TIME });
    for (const { entries } of lines) {
      const holding = countHolding(entries);
      held += holding;
      waiting += entries.length - holding;
    }
    count += lines.length;
    after = lines.length < LINES_AT_A_TIME ? undefined : lines.at(-1)?.name;
  } while (after !== undefined && count < LINES_MAX);
  return { held, waiting };
}

function buildInfo({ version }: LiveParts): Gauge {
  return new Gauge({
    name: 'backstep_build_info',
    help: 'Always 1: the version of Backstep that runs',
    labelNames: ['version'],
    registers: [],
    collect() {
      this.set({ version }, 1);
    },
  });
}

function clockOffset({ clock, machine }: LiveParts): Gauge {
  const help = "How far this machine's clock is ahead of the time of tasks, which is the store's";
  const read = (): number => (machine.now() - clock.now()) / 1_000;
  return valueGauge({ name: 'backstep_clock_offset_seconds', help }, read);
}

/** A gauge of one value; null: it is left out, as it is not known. */
export function valueGauge(
  about: { readonly name: string; readonly help: string },
  read: () => number | null,
): Gauge {
  return new Gauge({
    ...about,
    registers: [],
    collect() {
      const value = read();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}

/**
 * Has series of retired flows leave the metrics of a process that starts no tasks, and so has no
 * flows of its own to ask.
 */
export function retiredFlows({
  clock,
  definitions,
  metrics,
  observer,
}: RetiredFlowsParts): Companion {
  let retired: ReadonlySet<string> = new Set();
  metrics.dropFlows((flow) => retired.has(flow));
  const tick = async (): Promise<void> => {
    const heads = await definitions.listHeads().catch((error: unknown) => {
      // It is away for everybody, and others say so.
      if (error instanceof StoreUnavailable) return null;
      throw error;
    });
    const gone = heads?.filter(({ standing }) => standing === 'retired');
    if (gone !== undefined) retired = new Set(gone.map(({ name }) => name));
  };
  return new Loop({ name: 'retired_flows', intervalMs: LOOK_MS, tick }, clock, observer);
}

/**
 * A gauge that is read when metrics are asked for. A server that does not answer neither holds
 * up that answer nor makes alerts end: values that cannot be read stay as they were read last.
 * `backstep_ready` tells of the server.
 */
export function liveGauge({ clock, labels, read, ...about }: LiveGaugeOptions): Gauge {
  let known: readonly LiveSample[] = [];
  const keep = (sample: LiveSample): readonly LiveSample[] => {
    if (sample.value !== null) return [sample];
    const isSame = (last: LiveSample): boolean =>
      labels.every((name) => last.labels[name] === sample.labels[name]);
    return known.filter(isSame);
  };
  return new Gauge({
    ...about,
    labelNames: [...labels],
    registers: [],
    async collect() {
      const found = await withinLimit(() => read(), { clock, ms: READ_MS }).catch(() => null);
      if (found !== null) known = found.flatMap(keep);
      this.reset();
      for (const { labels: own, value } of known) if (value !== null) this.set({ ...own }, value);
    },
  });
}
