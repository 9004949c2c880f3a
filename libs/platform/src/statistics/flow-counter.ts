import type { StatisticsRow, StepStatistics } from '#ports';
import { DurationCounter } from './durations.js';

/** Steps of a flow that are counted one by one, each direction for itself; the others as one. */
const STEPS_MAX = 128;

/** Error codes of a step that are counted one by one; the others as one. */
const CODES_MAX = 8;

/** Characters of the path of a step that is counted for itself. */
const PATH_MAX = 256;

/** The name of all that is not counted one by one; no step and no error is called so. */
export const REST = '*';

/** The outcome of an action: it ended so, or another attempt follows. */
export type ActionOutcome = 'succeeded' | 'failed' | 'cancelled' | 'retries';

/** Counts how one action of a flow does. */
class ActionCounter {
  readonly #counts = { succeeded: 0, failed: 0, cancelled: 0, retries: 0 };
  readonly #duration = new DurationCounter();
  readonly #errors = new Map<string, number>();

  constructor(private readonly action: Pick<StepStatistics, 'direction' | 'step'>) {}

  /** An attempt has ended. `error`: the code that it failed with; null: it did not fail. */
  add(outcome: ActionOutcome, durationMs: number, error: string | null): void {
    this.#counts[outcome] += 1;
    if (outcome === 'succeeded' || outcome === 'failed') this.#duration.add(durationMs);
    if (error !== null) addTo(this.#errors, error, CODES_MAX);
  }

  /** The counts so far. */
  get statistics(): StepStatistics {
    const errors = Object.fromEntries(this.#errors);
    return { ...this.action, ...this.#counts, duration: this.#duration.statistics, errors };
  }
}

/** Counts how one flow does in one hour or day. It stays small, whatever comes. */
export class FlowCounter {
  #started = 0;
  #rollbackFailed = 0;
  readonly #ended = new Map<string, number>();
  readonly #duration = new DurationCounter();
  /** By direction, then by step: a key made of both would cost each fact a new text. */
  readonly #actions = {
    normal: new Map<string, ActionCounter>(),
    rollback: new Map<string, ActionCounter>(),
  };
  #changes = 0;
  #stored = 0;

  constructor(private readonly key: Pick<StatisticsRow, 'flow' | 'owner' | 'span' | 'start'>) {}

  /** How often something was counted. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether something was counted that is not stored. */
  get isChanged(): boolean {
    return this.#changes !== this.#stored;
  }

  /** The row is stored as it was after this number of changes. */
  markStored(changes: number): void {
    this.#stored = changes;
  }

  /** A task was created. */
  addStarted(): void {
    this.#changes += 1;
    this.#started += 1;
  }

  /** A task ended in this status. */
  addEnded(status: string, durationMs: number): void {
    this.#changes += 1;
    addTo(this.#ended, status, Infinity);
    this.#duration.add(durationMs);
  }

  /** A rollback of a step failed for good. */
  addRollbackFailed(): void {
    this.#changes += 1;
    this.#rollbackFailed += 1;
  }

  /** The counts of an action, for an attempt of it that has ended. */
  action(step: string, direction: StepStatistics['direction']): ActionCounter {
    this.#changes += 1;
    const { normal, rollback } = this.#actions;
    const known = this.#actions[direction].get(step);
    if (known !== undefined) return known;
    const isOwn = normal.size + rollback.size < STEPS_MAX && step.length <= PATH_MAX;
    if (!isOwn && step !== REST) return this.action(REST, direction);
    const added = new ActionCounter({ step, direction });
    this.#actions[direction].set(step, added);
    return added;
  }

  /** The counts so far. */
  get row(): StatisticsRow {
    const { normal, rollback } = this.#actions;
    return {
      ...this.key,
      started: this.#started,
      ended: Object.fromEntries(this.#ended),
      rollbackFailed: this.#rollbackFailed,
      duration: this.#duration.statistics,
      steps: [...normal.values(), ...rollback.values()].map(({ statistics }) => statistics),
    };
  }
}

/** One more of this name; where there are too many names, of the rest. */
function addTo(counts: Map<string, number>, name: string, most: number): void {
  const key = counts.has(name) || counts.size < most ? name : REST;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
