import { assertNever, type Outcome } from '#core';
import {
  allOf,
  type Clock,
  type CommandContext,
  FAULT,
  faultId,
  type FaultPlace,
  type FaultSwitch,
  type Records,
  recordsOf,
  StoreUnavailable,
} from '#ports';
import { type CommandFault, timeIsOver } from '#executor';
import type { ProcessContext } from '../process-context.js';
import { loseAttempt } from './strike.js';

/** Where a process finds the switches. Every method may throw `StoreUnavailable`. */
interface KeptFaults {
  /** All that are on, in one order. */
  list(): Promise<readonly FaultSwitch[]>;
  /** The switch of a step as it is now; null: none is on. */
  find(place: FaultPlace): Promise<FaultSwitch | null>;
  /** Switches one on, in place of the one that its step had. */
  put(one: FaultSwitch): Promise<void>;
  /** Switches one off. Of several that do so at once, one gets true: it was on. */
  remove(place: FaultPlace): Promise<boolean>;
  /** Whether it is sure, without asking, that none is on. */
  readonly isEmpty: boolean;
  /** Resolves once what a person changed strikes in every process. */
  settled(): Promise<void>;
}

/** Dependencies of the switches. */
interface FaultSwitchParts {
  readonly clock: Clock;
  readonly store: KeptFaults;
  /** Takes the attempt from its executor as a crash would; resolves when it is lost. */
  readonly loseAttempt: (context: CommandContext) => Promise<void>;
}

/** The parts of a process that switches have to do with. */
type FaultContext = Pick<
  ProcessContext,
  'clock' | 'engine' | 'exclusive' | 'executors' | 'records' | 'sessions' | 'settings'
>;

/** Most switches that are on at a time. */
const SWITCHES_MAX = 1_000;

const SAYS = 'by a switch of the lab';

/** So long an executor goes by what it has read. */
const KNOWN_MS = 1_000;

/**
 * The switches by which a person makes steps go wrong to see what becomes of it. Only normal
 * actions are struck, never a rollback.
 */
export class FaultSwitches {
  constructor(private readonly parts: FaultSwitchParts) {}

  /** All that are on. */
  list(): Promise<readonly FaultSwitch[]> {
    return this.parts.store.list();
  }

  /** Switches one on, in place of the one that its step had. False: too many are on. */
  async put(one: FaultSwitch): Promise<boolean> {
    const { store } = this.parts;
    const present = await store.list();
    const isNew = !present.some(({ flow, step }) => flow === one.flow && step === one.step);
    if (isNew && present.length >= SWITCHES_MAX) return false;
    await store.put(one);
    await store.settled();
    return true;
  }

  /** Switches one off; whether it was on. */
  async remove(place: FaultPlace): Promise<boolean> {
    const { store } = this.parts;
    if (!(await store.remove(place))) return false;
    await store.settled();
    return true;
  }

  /** The fault for an attempt; undefined: none. A switch that strikes once is off from then on. */
  faultFor(context: CommandContext): CommandFault | undefined {
    const { store } = this.parts;
    if (context.direction !== 'normal' || store.isEmpty) return undefined;
    return (command) => this.#strike(context, command);
  }

  async #strike(context: CommandContext, command: () => Promise<Outcome>): Promise<Outcome> {
    const one = await this.#struckBy(context);
    if (one === null) return command();
    switch (one.kind) {
      case 'fail_once':
        return failed(`made to fail once ${SAYS}`);
      case 'fail_always':
        return failed(`made to fail ${SAYS}`);
      case 'slow':
        return this.#slowly(context, command, one.delayMs);
      case 'crash':
        return this.#crash(context);
      default:
        return assertNever(one.kind);
    }
  }

  /** The switch that strikes this attempt. One that strikes once is taken by one attempt alone. */
  async #struckBy(place: FaultPlace): Promise<FaultSwitch | null> {
    const { store } = this.parts;
    try {
      const one = await store.find(place);
      const isOnce = one?.kind === 'fail_once' || one?.kind === 'crash';
      return isOnce && !(await store.remove(place)) ? null : one;
    } catch (error) {
      // A practice fault is no reason for one of the store's to reach the command.
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }

  async #slowly(
    context: CommandContext,
    command: () => Promise<Outcome>,
    delayMs: number,
  ): Promise<Outcome> {
    const { clock } = this.parts;
    const leftMs = context.timeLeft();
    await clock.sleep(Math.min(delayMs, leftMs), context.signal);
    if (context.signal.aborted) {
      return { kind: 'handed_back', message: `called off while it was held up ${SAYS}` };
    }
    if (delayMs < leftMs) return command();
    return timeIsOver(context, `held up until its time was over ${SAYS}`);
  }

  /** By the time that this is told, the attempt is another's, and nobody listens. */
  async #crash(context: CommandContext): Promise<Outcome> {
    await this.parts.loseAttempt(context);
    return failed(`made to crash ${SAYS}`);
  }
}

/** Retryable, as an author's own error is: the flow's retry policy is part of what is seen. */
function failed(message: string): Outcome {
  return { kind: 'failed', terminal: false, failure: 'FAILED', message };
}

/**
 * The switches of a shared store, read at most once in a second, and only while commands start: a
 * read for each attempt would be felt where no switch is on.
 */
export class KnownFaults implements KeptFaults {
  #known: Promise<readonly FaultSwitch[]> | null = null;
  #isEmpty = false;

  constructor(
    private readonly switches: Records<FaultSwitch>,
    private readonly clock: Clock,
  ) {}

  /** Whether it is known just now that no switch is on. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  list(): Promise<readonly FaultSwitch[]> {
    return allOf(this.switches);
  }

  async find({ flow, step }: FaultPlace): Promise<FaultSwitch | null> {
    const known = await (this.#known ??= this.#read());
    return known.find((one) => one.flow === flow && one.step === step) ?? null;
  }

  async put(one: FaultSwitch): Promise<void> {
    await this.switches.put(one, 'any');
  }

  remove(place: FaultPlace): Promise<boolean> {
    return this.switches.remove(faultId(place), 'any');
  }

  /** Resolves once every process has forgotten what it read before. */
  settled(): Promise<void> {
    return new Promise((resolve) => void this.clock.after(KNOWN_MS, resolve));
  }

  #read(): Promise<readonly FaultSwitch[]> {
    this.clock.after(KNOWN_MS, () => {
      this.#known = null;
      this.#isEmpty = false;
    });
    const reading = this.list();
    void this.#note(reading);
    return reading;
  }

  /** A failure is for the caller; nothing is known by it. */
  async #note(reading: Promise<readonly FaultSwitch[]>): Promise<void> {
    const all = await reading.catch(() => null);
    this.#isEmpty = this.#known === reading && all?.length === 0;
  }
}

/** Switches in memory, for a process that has no others beside it: started again, it has none. */
export class MemoryFaults implements KeptFaults {
  readonly #switches = new Map<string, FaultSwitch>();

  get isEmpty(): boolean {
    return this.#switches.size === 0;
  }

  async list(): Promise<readonly FaultSwitch[]> {
    return [...this.#switches.values()];
  }

  async find(place: FaultPlace): Promise<FaultSwitch | null> {
    return this.#switches.get(faultId(place)) ?? null;
  }

  async put(one: FaultSwitch): Promise<void> {
    this.#switches.set(faultId(one), one);
  }

  async remove(place: FaultPlace): Promise<boolean> {
    return this.#switches.delete(faultId(place));
  }

  /** They are in the process that runs the commands. */
  async settled(): Promise<void> {}
}

/**
 * Has the commands of this process go wrong by switches. They are kept in the store where processes
 * share one, so that those that are set at the gateway strike in every executor. Null: the store is
 * this process's alone, and others run commands besides.
 */
export function openFaults(context: FaultContext): FaultSwitches | null {
  const { clock, exclusive, executors, records, settings } = context;
  const isAlone = settings.transport.kind === 'memory';
  if (exclusive && !isAlone) return null;
  const store = exclusive ? new MemoryFaults() : new KnownFaults(recordsOf(records, FAULT), clock);
  const switches = new FaultSwitches({
    clock,
    store,
    loseAttempt: (lost) => loseAttempt(context, lost),
  });
  executors.useFaults((attempt) => switches.faultFor(attempt));
  return switches;
}
