import type { CommitResult, OperationQuery, OperationRecord, OperationStore } from '#ports';
import type { OperationCells, OperationsAsked } from './operation-cells.js';
import type { WorkerLink } from './worker-link.js';

/** A place behind which all operations are: no id is greater. */
const NEWEST = { createdAt: Number.MAX_SAFE_INTEGER, operationId: '' };

/** Operations, in the file of the store. */
export class SqliteOperations implements OperationStore {
  readonly #link: WorkerLink;

  constructor(link: WorkerLink) {
    this.#link = link;
  }

  async addOperation(record: OperationRecord): Promise<boolean> {
    return this.#write(record);
  }

  async findOperation(operationId: string): Promise<OperationRecord | null> {
    const [found = null] = await this.#read(['one', operationId]);
    return found;
  }

  async commitOperation(next: OperationRecord): Promise<CommitResult> {
    return (await this.#write(next)) ? 'committed' : 'conflict';
  }

  listOperations({ beyond = NEWEST, limit }: OperationQuery): Promise<readonly OperationRecord[]> {
    return this.#read(['list', beyond.createdAt, beyond.operationId, limit]);
  }

  findDueOperations(now: number, limit: number): Promise<readonly OperationRecord[]> {
    return this.#read(['due', now, limit]);
  }

  removeOperations(endedBefore: number, limit: number): Promise<number> {
    return this.#link.ask<number>(['changeOperations', ['remove', endedBefore, limit]]);
  }

  async #write(record: OperationRecord): Promise<boolean> {
    const { createdAt, dueAt, operationId, revision } = record;
    const text = JSON.stringify(record);
    const cells: OperationCells = [operationId, createdAt, revision, dueAt, text];
    return (await this.#link.ask<number>(['changeOperations', ['write', cells]])) === 1;
  }

  async #read(asked: OperationsAsked): Promise<readonly OperationRecord[]> {
    const texts = await this.#link.ask<readonly string[]>(['readOperations', asked]);
    return Array.from(texts, (text) => JSON.parse(text) as OperationRecord);
  }
}
