import { type FactLedger, isOfTasks, type JudgedSubject, subjectOf } from '#notifications';
import {
  isUnreadable,
  type NotificationPosition,
  type NotificationRecord,
  nullWhereUnreadable,
  type Records,
  RecordUnreadable,
} from '#ports';
import type { Task } from '#core';
import { type Change, ChangeLook } from '../events/change-look.js';
import type { OssOptions } from '../options.js';
import { judgeOf } from './judge-tasks.js';

/** How often it is noted how far the changes were looked at, in milliseconds. */
const NOTE_MS = 5_000;

/** Dependencies of the search for facts of tasks. */
type TaskFactsParts = Pick<OssOptions, 'changes' | 'clock' | 'positions' | 'store'> & {
  readonly ledger: FactLedger;
};

type Positions = Pick<Records<NotificationPosition>, 'get' | 'put'>;

const TASKS = 'tasks';

/**
 * Goes through all changes of tasks. How far it came is noted in the store after the messages were
 * stored, so that the next reader leaves nothing out; a fact that is found twice is told once.
 */
export class TaskFacts {
  private current: ChangeLook | null = null;
  private noted = 0;
  private notedAt = -Infinity;

  constructor(private readonly parts: TaskFactsParts) {}

  /** Looks at what has changed. Throws `StoreUnavailable`. */
  async tick(all: readonly NotificationRecord[]): Promise<void> {
    const rules = all.filter(({ order }) => order.on.some(isOfTasks));
    if (rules.length === 0) {
      this.current = null;
      return;
    }
    const { changes, clock, positions } = this.parts;
    const from = Math.min(...rules.map(({ since }) => since));
    this.current ??= new ChangeLook(changes, Math.max(await positionIn(positions), from));
    const { current } = this;
    await current.look((found) => this.settle(rules, found));
    const now = clock.monotonic();
    if (current.position <= this.noted || now - this.notedAt < NOTE_MS) return;
    await moveTo(positions, current.position);
    this.noted = current.position;
    this.notedAt = now;
  }

  private async settle(
    rules: readonly NotificationRecord[],
    found: readonly Change[],
  ): Promise<void> {
    const needsWhole = rules.some(({ order }) => order.on.includes('waiting'));
    const judge = judgeOf(rules, this.parts.clock.now());
    const subjects = await Promise.all(
      found.map(async (change): Promise<readonly JudgedSubject[]> => {
        const { item } = change;
        if (isUnreadable(item)) return [];
        const task = needsWhole ? await this.wholeOf(item.taskId) : null;
        const fits = (rule: NotificationRecord): boolean => {
          return change.at > rule.since && judge(rule, item);
        };
        return [{ ...subjectOf(item, task), fits }];
      }),
    );
    await this.parts.ledger.settle(rules, subjects.flat());
  }

  private wholeOf(taskId: string): Promise<Task | null> {
    return this.parts.store.get(taskId).catch(nullWhereUnreadable);
  }
}

/**
 * Up to which change of tasks rules were looked at; 0: none was, or nobody can read it. A fact that
 * is found twice is told once. Throws `StoreUnavailable`.
 */
export async function positionIn(positions: Positions): Promise<number> {
  return (await positions.get(TASKS).catch(nullWhereUnreadable))?.position ?? 0;
}

/** Moves it on; it never goes back, whoever else moves it. Throws `StoreUnavailable`. */
export async function moveTo(positions: Positions, position: number): Promise<void> {
  for (;;) {
    const before = await positions.get(TASKS).catch(unreadable);
    const isThere = before !== null && !(before instanceof RecordUnreadable);
    if (isThere && before.position >= position) return;
    if (await positions.put({ of: TASKS, position }, before)) return;
  }
}

function unreadable(error: unknown): RecordUnreadable {
  if (error instanceof RecordUnreadable) return error;
  throw error;
}
