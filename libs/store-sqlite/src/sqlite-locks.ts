import {
  countHolding,
  holdingSince,
  isSameTicket,
  type LockEntry,
  type LockLine,
  type LockOrder,
  type LockPlace,
  type LockQuery,
  type LockStore,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { LockCells } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** The lines of locks, in the file of the store. */
export class SqliteLocks implements LockStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async enter({ name, number, since, slots, taskId }: LockOrder): Promise<boolean> {
    const cells: LockCells = [toColumn(taskId), number, slots, since];
    const head = await this.#entries(['enterLine', toColumn(name), cells]);
    const at = head.findIndex((entry) => isSameTicket(entry, { taskId, number }));
    return at >= 0 && at < countHolding(head);
  }

  async leave({ name, number, taskId }: LockPlace): Promise<readonly LockEntry[]> {
    const request = ['leaveLine', toColumn(name), toColumn(taskId), number] as const;
    return holdingSince(await this.#entries(request), { taskId, number });
  }

  readLine(name: string): Promise<readonly LockEntry[]> {
    return this.#entries(['readLines', ['head', toColumn(name)]]);
  }

  async listLines({ after = '', limit }: LockQuery): Promise<readonly LockLine[]> {
    const request = ['readLines', ['names', toColumn(after), limit]] as const;
    const names = await this.#link.ask<readonly (readonly [string])[]>(request);
    const lines = Array.from(names, async ([name]): Promise<LockLine> => {
      return {
        name: fromColumn(name),
        entries: await this.#entries(['readLines', ['head', name]]),
      };
    });
    return (await Promise.all(lines)).filter(({ entries }) => entries.length > 0);
  }

  async #entries(request: Parameters<WorkerLink['ask']>[0]): Promise<readonly LockEntry[]> {
    const rows = await this.#link.ask<readonly LockCells[]>(request);
    return Array.from(rows, ([taskId, number, slots, since]) => {
      return { taskId: fromColumn(taskId), number, slots, since };
    });
  }
}
