import type { Collection, Db, UpdateFilter } from 'mongodb';
import { readStoredJson } from '#core';
import { type BarrierDocument, type MarkedDocument, markKey } from './mongo-mark.js';
import { OLD_MARKS, tasksOfMarks } from '../old-marks.js';
import { orUnavailable } from './server-away.js';

/** A collection of marks, and the database in which their effects are. */
interface MarkPlaces {
  readonly db: Db;
  readonly marks: Collection<BarrierDocument>;
}

/** Ids of the tasks with a mark that nobody has touched since `before`, in batches. */
export async function* oldTasksOf(
  marks: Collection<BarrierDocument>,
  before: number,
): AsyncGenerator<readonly string[]> {
  await orUnavailable(marks.createIndex({ touchedAt: 1, _id: 1 }));
  yield* tasksOfMarks(async ({ key, touchedAt }) => {
    const behind = [{ touchedAt: { $gt: touchedAt } }, { touchedAt, _id: { $gt: key } }];
    const query = marks
      .find({ touchedAt: { $lt: before }, $or: behind }, { projection: { touchedAt: 1 } })
      .sort({ touchedAt: 1, _id: 1 })
      .limit(OLD_MARKS);
    const found = await orUnavailable(query.toArray());
    return found.map((mark) => {
      return { taskId: ownersOf(mark)[0], touchedAt: mark.touchedAt, key: mark._id };
    });
  });
}

/**
 * Forgets marks of these tasks, those beside the effects first: where this stops, the step's own
 * mark still says where they are.
 */
export async function forgetMarks(
  { db, marks }: MarkPlaces,
  taskIds: readonly string[],
  before: number,
): Promise<number> {
  let forgotten = 0;
  for (const taskId of taskIds) {
    const old = { touchedAt: { $lt: before }, _id: withPrefix(taskId) };
    for (const mark of await marks.find(old).toArray()) {
      await forgetPlaces(db, mark);
      const { deletedCount } = await marks.deleteOne({
        _id: mark._id,
        touchedAt: mark.touchedAt,
      });
      forgotten += deletedCount;
    }
  }
  return forgotten;
}

async function forgetPlaces(db: Db, mark: BarrierDocument): Promise<void> {
  const [taskId, run] = ownersOf(mark);
  const context = { taskId, run, fencingToken: mark.token };
  for (const { collection, id, item } of mark.places) {
    const key = markKey(context, item);
    const update = { $pull: { marks: { key } } } as unknown as UpdateFilter<MarkedDocument>;
    await db.collection<MarkedDocument>(collection).updateOne({ _id: id }, update);
  }
}

/** The keys of all runs of a task: JSON of its id and a run. */
function withPrefix(taskId: string): { readonly $gte: string; readonly $lt: string } {
  const prefix = JSON.stringify([taskId]).slice(0, -1);
  return { $gte: `${prefix},`, $lt: `${prefix}-` };
}

/** The task and the run that a mark is of. */
function ownersOf({ _id }: Pick<BarrierDocument, '_id'>): readonly [taskId: string, run: string] {
  const [taskId = '', run = ''] = readStoredJson(_id, 'the id of a mark') as string[];
  return [taskId, run];
}
