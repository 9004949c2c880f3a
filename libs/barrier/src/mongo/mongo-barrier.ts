import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { JsonObject } from '#core';
import { readStoredJson } from '#core/json';
import { outputText } from '#json';
import type { Barrier, BarrierContext, Clock, Effect, Undo } from '#ports';
import {
  judgeForward,
  judgeRollback,
  type Mark,
  OLD_MARKS,
  outputOfMark,
  tasksOfMarks,
} from '../mark.js';
import { StaleToken } from '../refusal.js';
import {
  type BarrierDocument,
  barrierKey,
  type MarkedDocument,
  markKey,
  type Place,
} from './mongo-mark.js';
import { MongoTx } from './mongo-tx.js';
import { orUnavailable } from './open-mongo.js';

/** A collection of marks, and the database in which their effects are. */
interface MarkPlaces {
  readonly db: Db;
  readonly marks: Collection<BarrierDocument>;
}

/** Options of a barrier on MongoDB. Writes must be acknowledged by a majority. */
export interface MongoBarrierOptions {
  readonly clock: Clock;
  /** Name of the collection of marks. */
  readonly collection: string;
  readonly db: Db;
}

const DUPLICATE_KEY = 11_000;
const FRESH = { output: null, places: [] as Place[], settled: false };
const NEW = { ...FRESH, attempts: 1, state: 'open', touchedAt: 0 } as const;

/**
 * The barrier of a participant whose effects are changes of documents, without transactions over
 * several of them.
 *
 * Each effect and its mark are one update of one document. No single update can hold the list of
 * these documents: a step's own document lists each of them *before* it is changed. An attempt
 * that takes over first undoes whatever is on the list and leaves a mark of its newer token there,
 * so that the older attempt, wherever it was stopped, can change neither those documents nor, as
 * the list is closed to it, any other. A rollback does the same.
 *
 * `forward` and `rollback` throw `StoreUnavailable` where the server is away: that is no failure of
 * the step.
 */
export class MongoBarrier implements Barrier<MongoTx> {
  readonly #marks: Collection<BarrierDocument>;

  constructor(private readonly options: MongoBarrierOptions) {
    this.#marks = options.db.collection<BarrierDocument>(options.collection);
  }

  forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<MongoTx, T>,
  ): Promise<T | null> {
    const output = orUnavailable(this.#forward(context, effect as Effect<MongoTx>));
    return output as Promise<T | null>;
  }

  rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<MongoTx, T>,
  ): Promise<void> {
    return orUnavailable(this.#rollback(context, undo as Undo<MongoTx>));
  }

  async #forward(context: BarrierContext, effect: Effect<MongoTx>): Promise<JsonObject | null> {
    const opened = await this.#open(context);
    if (opened.state === 'applied') return outputOfMark(opened.output);
    const tx = this.#txFor(context, opened.places, false);
    await tx.takeBack();
    let output: JsonObject | null;
    try {
      output = await effect(tx);
    } catch (error) {
      // Partial effects are on the list; undo them now, without waiting for a rollback.
      await tx.abandon().catch(() => undefined);
      throw error;
    }
    return this.#settle(context, output);
  }

  async #rollback(context: BarrierContext, undo: Undo<MongoTx>): Promise<void> {
    const before = await this.#bar(context);
    if (before?.state === 'undone') return;
    if (before !== null && (before.settled || before.places.length > 0)) {
      const isQuiet = before.settled && before.attempts === 1;
      const tx = this.#txFor(context, before.places, isQuiet);
      await undo(tx, outputOfMark(before.output));
    }
    await this.#marks.updateOne(this.#mine(context, 'undoing'), { $set: { state: 'undone' } });
  }

  oldTasks(before: number): AsyncIterable<readonly string[]> {
    return oldTasksOf(this.#marks, before);
  }

  forget(taskIds: readonly string[], before: number): Promise<number> {
    return orUnavailable(forgetMarks({ db: this.options.db, marks: this.#marks }, taskIds, before));
  }

  /** Claims the step's document for this attempt, or finds it done. Throws a refusal. */
  async #open(context: BarrierContext): Promise<BarrierDocument> {
    const token = context.fencingToken;
    for (;;) {
      const opened = await this.#upsert(
        { _id: barrierKey(context), state: 'open', token: { $lte: token } },
        {
          $set: { token, touchedAt: this.options.clock.now() },
          $inc: { attempts: 1 },
          $setOnInsert: FRESH,
        },
      );
      if (opened !== 'taken') return opened ?? { ...NEW, _id: barrierKey(context), token };
      const found = await this.#find(context);
      if (found !== null && judgeForward(markOf(found), context) === 'done') return found;
    }
  }

  async #settle(context: BarrierContext, output: JsonObject | null): Promise<JsonObject | null> {
    const text = output === null ? null : outputText(output);
    const settled = { state: 'applied', output: text, settled: true } as const;
    const result = await this.#marks.updateOne(this.#mine(context, 'open'), { $set: settled });
    if (result.matchedCount === 1) return output;
    await this.#refuse(context);
    return output;
  }

  /** Closes the step's document to its effect; returns it as it was, null where it was not. */
  async #bar(context: BarrierContext): Promise<BarrierDocument | null> {
    const token = context.fencingToken;
    for (;;) {
      const barred = await this.#upsert(
        { _id: barrierKey(context), state: { $ne: 'undone' }, token: { $lte: token } },
        {
          $set: { state: 'undoing', token, touchedAt: this.options.clock.now() },
          $setOnInsert: { attempts: 0, ...FRESH },
        },
      );
      if (barred !== 'taken') return barred;
      const found = await this.#find(context);
      if (found !== null && judgeRollback(markOf(found), context) === 'done') return found;
    }
  }

  /**
   * The document as it was, null where there was none. `taken`: there is one, but the filter does
   * not fit.
   */
  async #upsert(
    filter: Filter<BarrierDocument>,
    update: UpdateFilter<BarrierDocument>,
  ): Promise<'taken' | BarrierDocument | null> {
    try {
      return await this.#marks.findOneAndUpdate(filter, update, {
        upsert: true,
        returnDocument: 'before',
      });
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== DUPLICATE_KEY) throw error;
      return 'taken';
    }
  }

  #txFor(context: BarrierContext, places: readonly Place[], isQuiet: boolean): MongoTx {
    const announce = async (place: Place): Promise<void> => {
      const update = { $addToSet: { places: place } };
      const result = await this.#marks.updateOne(this.#mine(context, 'open'), update);
      if (result.matchedCount === 0) await this.#refuse(context);
    };
    const retract = async (place: Place): Promise<void> => {
      const update = { $pull: { places: place } };
      await this.#marks.updateOne(this.#mine(context, 'open'), update);
    };
    return new MongoTx({ announce, context, db: this.options.db, isQuiet, places, retract });
  }

  /** The document while this attempt is the newest one. */
  #mine(context: BarrierContext, state: 'open' | 'undoing'): Filter<BarrierDocument> {
    return { _id: barrierKey(context), state, token: context.fencingToken };
  }

  /** The document is not this attempt's any more: says why, unless a lost answer was the reason. */
  async #refuse(context: BarrierContext): Promise<void> {
    const found = await this.#find(context);
    if (found !== null && judgeForward(markOf(found), context) === 'done') return;
    throw new StaleToken(context.fencingToken, found?.token ?? context.fencingToken);
  }

  #find(context: BarrierContext): Promise<BarrierDocument | null> {
    return this.#marks.findOne({ _id: barrierKey(context) });
  }
}

function markOf(found: BarrierDocument): Mark {
  const { state, token } = found;
  return { state, token, output: outputOfMark(found.output) };
}

/** Ids of the tasks with a mark that nobody has touched since `before`, in batches. */
async function* oldTasksOf(
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
async function forgetMarks(
  { db, marks }: MarkPlaces,
  taskIds: readonly string[],
  before: number,
): Promise<number> {
  let forgotten = 0;
  for (const taskId of taskIds) {
    const old = { touchedAt: { $lt: before }, _id: withPrefix(taskId) };
    for (const mark of await marks.find(old).toArray()) {
      await forgetPlaces(db, mark);
      const { deletedCount } = await marks.deleteOne({ _id: mark._id, touchedAt: mark.touchedAt });
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
