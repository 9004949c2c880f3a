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
import { checkLockEntry, nullWhereUnreadable, type RecordForm, type RecordReader } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { LockCells } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

type StoredLine = readonly [name: string, rows: readonly LockCells[]];

const LINE: RecordForm<StoredLine, readonly LockEntry[]> = {
  kind: 'lock',
  idOf: ([name]) => name,
  decode: ([, rows]) => {
    return rows.map(([taskId, number, slots, since]) => {
      const entry = checkLockEntry({ taskId, number, slots, since });
      return { ...entry, taskId: fromColumn(taskId) };
    });
  },
};

/** The lines of locks, in the file of the store. */
export class SqliteLocks implements LockStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async enter({ name, number, since, slots, taskId }: LockOrder): Promise<boolean> {
    const cells: LockCells = [toColumn(taskId), number, slots, since];
    const head = await this.#entries(name, ['enterLine', toColumn(name), cells]);
    const at = head.findIndex((entry) => isSameTicket(entry, { taskId, number }));
    return at >= 0 && at < countHolding(head);
  }

  async leave({ name, number, taskId }: LockPlace): Promise<readonly LockEntry[]> {
    const request = ['leaveLine', toColumn(name), toColumn(taskId), number] as const;
    return holdingSince(await this.#entries(name, request), { taskId, number });
  }

  readLine(name: string): Promise<readonly LockEntry[]> {
    return this.#entries(name, ['readLines', ['head', toColumn(name)]]);
  }

  /** Lines that cannot be read, or that all have left meanwhile, take the place of no others. */
  async listLines({ after = '', limit }: LockQuery): Promise<readonly LockLine[]> {
    const lines: LockLine[] = [];
    let behind = toColumn(after);
    for (;;) {
      const names = await this.#names(behind, limit);
      lines.push(...(await this.#lines(names)));
      const last = names.at(-1);
      if (names.length < limit || lines.length >= limit || last === undefined) break;
      behind = last;
    }
    return lines.slice(0, limit);
  }

  /** Names as they are stored. */
  async #names(behind: string, limit: number): Promise<readonly string[]> {
    const request = ['readLines', ['names', behind, limit]] as const;
    const rows = await this.#link.ask<readonly (readonly [string])[]>(request);
    return Array.from(rows, ([name]) => name);
  }

  async #lines(columns: readonly string[]): Promise<readonly LockLine[]> {
    const lines = columns.map(async (column): Promise<LockLine> => {
      const name = fromColumn(column);
      const entries = this.#entries(name, ['readLines', ['head', column]]);
      return { name, entries: (await entries.catch(nullWhereUnreadable)) ?? [] };
    });
    return (await Promise.all(lines)).filter(({ entries }) => entries.length > 0);
  }

  async #entries(
    name: string,
    request: Parameters<WorkerLink['ask']>[0],
  ): Promise<readonly LockEntry[]> {
    const rows = await this.#link.ask<readonly LockCells[]>(request);
    return this.#records.one([name, Array.from(rows)], LINE);
  }
}
