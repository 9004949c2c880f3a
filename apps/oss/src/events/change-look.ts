import type { ChangeMark, ChangeStore, ListedTask } from '#ports';

/** A task that has changed notably, as it stands now. */
export interface Change {
  /** Number of the change: after a smaller one nothing is missed that is told after this one. */
  readonly at: number;
  readonly item: ListedTask;
}

/** After this many looks one goes back as far as it may have to. */
const FAR_ROUNDS = 10;

/** Marks of one question, and documents of one reading. */
const MARKS_MAX = 1_000;
const READ_MAX = 200;

/**
 * Finds what has changed since it looked last. Changes that came into sight late are found by
 * looking back; those that were found are known by their numbers.
 */
export class ChangeLook {
  /** Numbers that were found, by the ids of their tasks, as far back as is looked. */
  private readonly found = new Map<string, number>();
  private rounds = 0;

  /** `position`: the largest number that was found. */
  constructor(
    private readonly changes: ChangeStore,
    public position: number,
  ) {}

  /** One look. A number counts as found once `tell` has taken it. Throws what the store throws. */
  async look(tell: (found: readonly Change[]) => Promise<void> | void): Promise<void> {
    const { far, near } = this.changes.overlap;
    // The first one, too: what was found before this process lived may have been found early.
    const back = this.rounds % FAR_ROUNDS === 0 ? far : near;
    // A clock that was ahead must not hide what comes after it was set right.
    if (far > 0) this.position = Math.min(this.position, await this.changes.newest());
    const from = far === 0 ? this.position + 1 : this.position - back;
    let after: ChangeMark | undefined;
    do {
      const marks = await this.changes.find({ from, after, limit: MARKS_MAX });
      const fresh = marks.filter(({ at, taskId }) => this.found.get(taskId) !== at);
      for (let n = 0; n < fresh.length; n += READ_MAX) {
        const some = fresh.slice(n, n + READ_MAX);
        await tell(await readChanges(this.changes, some));
        this.note(some);
      }
      after = marks.length < MARKS_MAX ? undefined : marks.at(-1);
    } while (after !== undefined);
    this.rounds += 1;
    this.forget(this.position - far);
  }

  private note(marks: readonly ChangeMark[]): void {
    for (const { at, taskId } of marks) {
      this.position = Math.max(this.position, at);
      if (this.changes.overlap.far === 0) continue;
      this.found.delete(taskId);
      this.found.set(taskId, at);
    }
  }

  /** Those that were found last stand last, so that the first ones are the oldest, or nearly. */
  private forget(before: number): void {
    for (const [taskId, at] of this.found) {
      if (at >= before) return;
      this.found.delete(taskId);
    }
  }
}

/** How the tasks of these marks stand now, in their order. */
export async function readChanges(
  changes: Pick<ChangeStore, 'summaries'>,
  marks: readonly ChangeMark[],
): Promise<readonly Change[]> {
  const items = await changes.summaries(marks.map(({ taskId }) => taskId));
  const byId = new Map(items.map((item) => [item.taskId, item]));
  return marks.flatMap(({ at, taskId }) => {
    const item = byId.get(taskId);
    return item === undefined ? [] : [{ at, item }];
  });
}
