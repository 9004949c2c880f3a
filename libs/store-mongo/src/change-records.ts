import type { Collection, Filter } from 'mongodb';
import type { ChangeMark, ChangeQuery, ChangeStore, Clock, ListedTask } from '#ports';
import { toDate, toMs } from './bson-values.js';
import { ListCheck } from './list-check.js';
import { CHANGE_INDEX } from './migrations.js';
import type { ServerCalls } from './server-calls.js';
import { SUMMARY_FIELDS } from './summary-document.js';
import type { TaskDecoder } from './task-decoder.js';
import type { TaskDocument } from './task-document.js';

/** Where changes are found. */
interface ChangeParts {
  readonly tasks: Collection<TaskDocument>;
  readonly decoder: TaskDecoder;
  /** The server's. */
  readonly clock: Pick<Clock, 'now'>;
}

/** The order of changes: milliseconds of the server's clock, and the ids within one of them. */
export const CHANGE_ORDER = { changedAt: 1, _id: 1 } as const;

/** The filter that finds changes, by their index alone. */
export function changeFilter({ after, from }: Omit<ChangeQuery, 'limit'>): Filter<TaskDocument> {
  const first = after === undefined ? from : Math.max(from, after.at);
  const changedAt = { $gte: toDate(first) };
  if (after === undefined || after.at < from) return { changedAt };
  return {
    changedAt,
    $or: [{ changedAt: { $gt: toDate(after.at) } }, { _id: { $gt: after.taskId } }],
  };
}

/**
 * The changed tasks, by the server's clock. Writes at one moment become visible in any order; an
 * insert has the moment of its attempt, which may take as long as an answer of the server; and the
 * next primary may have a clock that is behind.
 */
export class ChangeRecords implements ChangeStore {
  readonly overlap = { near: 2_000, far: 30_000 };
  private readonly listCheck: ListCheck;

  constructor(
    private readonly parts: ChangeParts,
    private readonly calls: ServerCalls,
  ) {
    this.listCheck = new ListCheck(parts, calls);
  }

  async newest(): Promise<number> {
    return Math.floor(this.parts.clock.now());
  }

  async find({ limit, ...query }: ChangeQuery): Promise<readonly ChangeMark[]> {
    const read = (): Promise<Pick<TaskDocument, '_id' | 'changedAt'>[]> =>
      this.parts.tasks
        .find(changeFilter(query), { hint: CHANGE_INDEX, projection: { changedAt: 1 } })
        .sort(CHANGE_ORDER)
        .limit(limit)
        .toArray();
    const found = await this.calls.call('looking for changes', read);
    return found.map(({ _id, changedAt }) => ({ at: toMs(changedAt as Date), taskId: _id }));
  }

  async summaries(taskIds: readonly string[]): Promise<readonly ListedTask[]> {
    if (taskIds.length === 0) return [];
    const { decoder, tasks } = this.parts;
    const read = (): Promise<TaskDocument[]> =>
      tasks
        .find<TaskDocument>({ _id: { $in: [...taskIds] } }, { projection: SUMMARY_FIELDS })
        .toArray();
    const documents = await this.calls.call('reading what has changed', read);
    await this.listCheck.check(documents);
    return documents.map((document) => decoder.list(document));
  }
}
