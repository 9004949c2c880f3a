import { readOperation, type RecordForm, type RecordReader } from '#ports';
import type { CommitResult, OperationQuery, OperationRecord, OperationStore } from '#ports';
import { dueAsBeside } from './due-column.js';
import type { OperationCells, OperationsAsked } from './operation-cells.js';
import type { WorkerLink } from './worker-link.js';

/** A position behind which all operations are: no id is greater. */
const NEWEST = { createdAt: Number.MAX_SAFE_INTEGER, operationId: '' };

type Stored = readonly [id: string, record: unknown, dueAt: unknown];

const FORM: RecordForm<Stored, OperationRecord> = {
  kind: 'operation',
  idOf: ([id]) => id,
  decode: ([id, text, dueAt]) => dueAsBeside(readOperation(text, id), dueAt),
};

/** Operations, in the file of the store. */
export class SqliteOperations implements OperationStore {
  readonly #link: WorkerLink;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, records: RecordReader) {
    this.#link = link;
    this.#records = records;
  }

  async addOperation(record: OperationRecord): Promise<boolean> {
    return this.#write(record);
  }

  async findOperation(operationId: string): Promise<OperationRecord | null> {
    const [found] = await this.#read(['one', operationId]);
    return this.#records.found(found, operationId, FORM);
  }

  async commitOperation(next: OperationRecord): Promise<CommitResult> {
    return (await this.#write(next)) ? 'committed' : 'conflict';
  }

  listOperations({ beyond = NEWEST, limit }: OperationQuery): Promise<readonly OperationRecord[]> {
    const place = [beyond.createdAt, beyond.operationId] as const;
    return this.#page(limit, (most, skip) => ['list', ...place, most, skip]);
  }

  findDueOperations(now: number, limit: number): Promise<readonly OperationRecord[]> {
    return this.#page(limit, (most, skip) => ['due', now, most, skip]);
  }

  async removeOperations(endedBefore: number, limit: number): Promise<number> {
    const request = ['changeOperations', ['remove', endedBefore, limit]] as const;
    const count = await this.#link.ask<number>(request);
    if (count > 0) await this.#records.lookAgain('operation', (id) => this.findOperation(id));
    return count;
  }

  async #write(record: OperationRecord): Promise<boolean> {
    const { createdAt, dueAt, operationId, revision } = record;
    const text = JSON.stringify(record);
    const cells: OperationCells = [operationId, createdAt, revision, dueAt, text];
    const write = this.#link.ask<number>(['changeOperations', ['write', cells]]);
    const isDone = write.then((count) => count === 1);
    return this.#records.clearAfter('operation', operationId, isDone);
  }

  #page(
    limit: number,
    asked: (limit: number, skip: number) => OperationsAsked,
  ): Promise<readonly OperationRecord[]> {
    return this.#records.page(limit, (most, skip) => this.#read(asked(most, skip)), FORM);
  }

  #read(asked: OperationsAsked): Promise<readonly Stored[]> {
    return this.#link.ask<readonly Stored[]>(['readOperations', asked]);
  }
}
