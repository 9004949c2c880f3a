import { type ChildCounts, LIVE_STATUSES, TASK_STATUS, type Task } from '#core';
import type { ChildrenPlan } from '#core/children';
import type { ChildrenOf, ChildStore } from '#ports';

/** Child tasks of one block. */
const BLOCK = 256;

/** Blocks of child tasks that end before it is looked which of all blocks are over. */
const PROGRESS = 4;

/** Live child tasks that are read to find the blocks that are over. */
const LIVE_MAX = 1_000;

/** Steps whose blocks are remembered. */
const STEPS_KEPT = 100;

const NONE: ChildCounts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

/** Facts about the child tasks of a step, on one way, that no longer change. */
interface Settled {
  readonly way: ChildrenPlan['way'];
  /** Numbers of the blocks that are over. */
  readonly blocks: Set<number>;
  /** Of all child tasks in these blocks. */
  counts: ChildCounts;
  /** Child tasks that were over when it was last looked for such blocks. */
  progress: number;
}

/** Blocks that lie side by side: from one on, up to and without another. */
interface Stretch {
  readonly first: number;
  readonly end: number;
}

/**
 * Counts child tasks again and again, at a cost that does not grow with all there are. An ended
 * child task stays so until its parent turns, so blocks of indexes in which all have ended are
 * counted once and remembered; a slow child task keeps only its own block open. That all of them
 * are over is never taken from memory: they are counted in full first.
 */
export class ChildCounter {
  readonly #known = new Map<string, Settled>();

  constructor(
    private readonly store: ChildStore,
    private readonly block = BLOCK,
  ) {}

  /** How the child tasks of a step stand. Throws `StoreUnavailable`. */
  async count({ plan }: Pick<Task, 'plan'>, children: ChildrenPlan): Promise<ChildCounts> {
    const { run, tally } = children;
    const of = { taskId: plan.taskId, run };
    if (tally.started < this.block * PROGRESS) return this.store.count(of);
    const settled = this.#settledOf(of, children);
    const counts = await this.#countOpen(of, settled);
    if (counts.active === 0 && counts.found >= tally.started) {
      this.#known.delete(keyOf(of));
      return this.store.count(of);
    }
    const progress = overIn(counts, settled.way);
    if (progress - settled.progress >= this.block * PROGRESS) {
      settled.progress = progress;
      await this.#settle(of, settled, tally.started);
    }
    return counts;
  }

  #settledOf(of: ChildrenOf, { way }: ChildrenPlan): Settled {
    const key = keyOf(of);
    const found = this.#known.get(key);
    if (found?.way === way) return found;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= STEPS_KEPT) this.#known.delete(oldest);
    const settled: Settled = { way, blocks: new Set(), counts: NONE, progress: 0 };
    this.#known.set(key, settled);
    return settled;
  }

  async #countOpen(of: ChildrenOf, { blocks, counts }: Settled): Promise<ChildCounts> {
    const end = Math.max(-1, ...blocks) + 1;
    const open = stretches(end, (number) => !blocks.has(number));
    const rest = { first: end, end: Infinity };
    const found = await Promise.all([...open, rest].map((each) => this.#countIn(of, each)));
    return found.reduce(sumOf, counts);
  }

  #countIn(of: ChildrenOf, { end, first }: Stretch): Promise<ChildCounts> {
    const before = end === Infinity ? {} : { before: end * this.block };
    return this.store.count({ ...of, from: first * this.block, ...before });
  }

  /** Notes the blocks that are over by now. */
  async #settle(of: ChildrenOf, settled: Settled, started: number): Promise<void> {
    const live = await this.store.find({ ...of, statuses: LIVE_STATUSES, limit: LIVE_MAX });
    if (live.length === LIVE_MAX) return;
    const open = new Set(live.map(({ index }) => Math.floor(index / this.block)));
    const lowest = settled.way === 'back' ? await this.#lowestUndone(of) : 0;
    const over = stretches(Math.floor(started / this.block), (number) => {
      return number * this.block >= lowest && !open.has(number) && !settled.blocks.has(number);
    });
    await Promise.all(over.map((stretch) => this.#note(of, settled, stretch)));
  }

  /** They are undone from the highest index down. */
  async #lowestUndone(of: ChildrenOf): Promise<number> {
    const [last] = await this.store.find({ ...of, statuses: [TASK_STATUS.succeeded], limit: 1 });
    return last === undefined ? 0 : last.index + 1;
  }

  /** Where one of them was never stored, the blocks around its own are found by halves. */
  async #note(of: ChildrenOf, settled: Settled, stretch: Stretch): Promise<void> {
    const counts = await this.#countIn(of, stretch);
    const { end, first } = stretch;
    if (overIn(counts, settled.way) < (end - first) * this.block) {
      const middle = Math.floor((first + end) / 2);
      if (middle === first) return;
      await this.#note(of, settled, { first, end: middle });
      return this.#note(of, settled, { first: middle, end });
    }
    for (let number = first; number < end; number += 1) settled.blocks.add(number);
    settled.counts = sumOf(settled.counts, counts);
  }
}

function keyOf({ run, taskId }: ChildrenOf): string {
  return `${taskId} ${run}`;
}

/** Those that change no more on this way. */
function overIn({ failed, succeeded }: ChildCounts, way: ChildrenPlan['way']): number {
  return way === 'back' ? failed : succeeded + failed;
}

/** The wanted ones among this many first blocks. */
function stretches(count: number, isWanted: (number: number) => boolean): readonly Stretch[] {
  const found: Stretch[] = [];
  for (let number = 0; number < count; number += 1) {
    if (!isWanted(number)) continue;
    const last = found.at(-1);
    if (last?.end === number) found[found.length - 1] = { ...last, end: number + 1 };
    else found.push({ first: number, end: number + 1 });
  }
  return found;
}

function sumOf(one: ChildCounts, other: ChildCounts): ChildCounts {
  return {
    found: one.found + other.found,
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    active: one.active + other.active,
    held: one.held + other.held,
  };
}
