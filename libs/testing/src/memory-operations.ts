import type { CommitResult, OperationQuery, OperationRecord, OperationStore } from '#ports';

/** Operations in memory. */
export class MemoryOperations implements OperationStore {
  /** `answer`: called after a write took effect, and throws where its answer is lost. */
  constructor(
    private readonly open: () => Map<string, OperationRecord>,
    private readonly answer: () => void,
  ) {}

  async addOperation(record: OperationRecord): Promise<boolean> {
    const operations = this.open();
    if (operations.has(record.operationId)) return false;
    operations.set(record.operationId, record);
    this.answer();
    return true;
  }

  async findOperation(operationId: string): Promise<OperationRecord | null> {
    return this.open().get(operationId) ?? null;
  }

  async commitOperation(next: OperationRecord): Promise<CommitResult> {
    const operations = this.open();
    const stored = operations.get(next.operationId);
    if (stored?.revision !== next.revision - 1) return 'conflict';
    operations.set(next.operationId, next);
    this.answer();
    return 'committed';
  }

  async listOperations({ beyond, limit }: OperationQuery): Promise<readonly OperationRecord[]> {
    const all = [...this.open().values()].sort(newestFirst);
    const rest = all.filter((one) => beyond === undefined || newestFirst(beyond, one) < 0);
    return rest.slice(0, limit);
  }

  async findDueOperations(now: number, limit: number): Promise<readonly OperationRecord[]> {
    const due = [...this.open().values()].filter(({ dueAt }) => dueAt !== null && dueAt <= now);
    return due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, limit);
  }

  async removeOperations(endedBefore: number, limit: number): Promise<number> {
    const operations = this.open();
    const old = [...operations.values()]
      .filter(({ endedAt }) => endedAt !== null && endedAt <= endedBefore)
      .sort((a, b) => newestFirst(b, a))
      .slice(0, limit);
    for (const { operationId } of old) operations.delete(operationId);
    this.answer();
    return old.length;
  }
}

type Place = Pick<OperationRecord, 'createdAt' | 'operationId'>;

function newestFirst(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.operationId < b.operationId ? 1 : a.operationId > b.operationId ? -1 : 0;
}
