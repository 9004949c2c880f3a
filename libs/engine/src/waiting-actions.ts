import { recordsOf, type RecordStore, type TaskAction, WAITING_ACTION, waitingId } from '#ports';
import type { Waiting } from './admission.js';

/** An action that is to wait, and what decides its turn. */
export interface Comer extends TaskAction {
  readonly orderAt: number;
  /** Value of the label whose values take turns; null: order time decides. */
  readonly group: string | null;
}

/**
 * The lines of the actions that wait for the limits of their modules, in the store. Where the
 * values of a label take turns, each gets a turn of its own for every action that waits: of two
 * values the one that has fewer waiting is called as often as the other.
 */
export class WaitingActions {
  private readonly records;

  constructor(records: RecordStore) {
    this.records = recordsOf(records, WAITING_ACTION);
  }

  /**
   * Puts actions in the line of their module; `turn`: that of the action that was called last.
   * Those that wait keep their turns.
   */
  async add(module: string, comers: readonly Comer[], turn: number): Promise<void> {
    const plain = comers.filter(({ group }) => group === null);
    await Promise.all(plain.map((comer) => this.put({ module, comer, turn: comer.orderAt })));
    // One after the other: each turn follows from the one before.
    for (const comer of comers) {
      if (comer.group === null || (await this.records.get(waitingId(comer))) !== null) continue;
      const of = [module, comer.direction, comer.group];
      const query = { index: 'group', of, isDescending: true, limit: 1 } as const;
      const [last] = await this.records.list(query);
      await this.put({ module, comer, turn: Math.max(turn, last?.turn ?? 0) + 1 });
    }
  }

  /** The first so many of both lines of a module. */
  async first(module: string, limit: number): Promise<Waiting> {
    const line = (direction: 'normal' | 'rollback') =>
      this.records.list({ index: 'line', of: [module, direction], limit });
    const [normal, rollback] = await Promise.all([line('normal'), line('rollback')]);
    return { normal, rollback };
  }

  async remove(action: TaskAction): Promise<void> {
    await this.records.remove(waitingId(action), 'any');
  }

  private async put({ comer, module, turn }: Placed): Promise<void> {
    const { direction, group, step, taskId } = comer;
    const record = { taskId, direction, step, module, group: group ?? '', turn };
    await this.records.put(record, 'any');
  }
}

interface Placed {
  readonly module: string;
  readonly comer: Comer;
  readonly turn: number;
}
