import type { Collection, Db, Document } from 'mongodb';
import { MongoBarrier, type MongoTx, orUnavailable, type PlacedEffect } from '#barrier';
import type { JsonObject } from '#core';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import type { TargetFile } from './target-file.js';
import { type Target, type TargetList, TargetTaken } from './target-list.js';

/**
 * The place of an instance among the targets. It stays when nothing is watched there any more: the
 * barrier's marks are in it, and an attempt that comes late is kept out by them.
 */
interface TargetDocument extends Document {
  readonly _id: string;
  readonly labels: Target['labels'];
  readonly run: string | null;
  /** Null: nothing is watched. */
  readonly target: string | null;
  readonly taskId: string | null;
}

/** The members of a target's document that a barrier changes. */
type Content = Pick<TargetDocument, 'labels' | 'run' | 'target' | 'taskId'>;

const TARGETS = 'monitor_targets';
const MARKS = 'monitor_barrier';
const DUPLICATE_KEY = 11_000;
const EMPTY: Content = { labels: {}, run: null, target: null, taskId: null };
/** A place is left while it is looked at; then it is tried again. */
const ROUNDS = 5;

/** Where the targets of several machines are kept. */
interface MongoTargetsOptions {
  readonly clock: Clock;
  readonly db: Db;
  /** Makes the file of this machine from what is read. */
  readonly fileOf: (read: () => Promise<readonly Target[]>) => TargetFile;
}

/** Targets in a database that executors on several machines share. */
export class MongoTargets implements TargetList {
  readonly #barrier: MongoBarrier;
  readonly #targets: Collection<TargetDocument>;
  readonly #file: TargetFile;

  private constructor({ clock, db, fileOf }: MongoTargetsOptions) {
    this.#barrier = new MongoBarrier({ clock, collection: MARKS, db });
    this.#targets = db.collection<TargetDocument>(TARGETS);
    this.#file = fileOf(() => this.list());
  }

  /** The targets of a database, with the file brought up to date. */
  static async open(options: MongoTargetsOptions): Promise<MongoTargets> {
    const targets = new MongoTargets(options);
    await targets.#file.project();
    targets.#file.follow();
    return targets;
  }

  get marks(): TaskMarks {
    return this.#barrier;
  }

  async add(context: BarrierContext, targets: readonly Target[]): Promise<void> {
    await this.#barrier.forward(context, async (tx) => {
      for (const target of targets) await this.#addOne(tx, context, target);
      return { added: targets.map(({ instance }) => instance) };
    });
    await this.#file.project();
  }

  async undoAdd(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx) => tx.takeBack());
    await this.#file.project();
  }

  async remove(context: BarrierContext, instances: readonly string[]): Promise<readonly string[]> {
    const output = await this.#barrier.forward(context, async (tx) => {
      const removed: string[] = [];
      for (const instance of instances) {
        if (await this.#removeOne(tx, instance)) removed.push(instance);
      }
      return { removed };
    });
    await this.#file.project();
    return ((output as JsonObject)['removed'] ?? []) as string[];
  }

  async undoRemove(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx) => tx.takeBack());
    await this.#file.project();
  }

  async list(): Promise<readonly Target[]> {
    const found = this.#targets.find({ target: { $ne: null } }).sort({ _id: 1 });
    return (await orUnavailable(found.toArray())).map(({ _id, labels, target }) => {
      return { instance: _id, target: target ?? '', labels };
    });
  }

  /** Writes no file any more. */
  close(): Promise<void> {
    return this.#file.stop();
  }

  async #addOne(tx: MongoTx, context: BarrierContext, target: Target): Promise<void> {
    const { instance } = target;
    for (let round = 0; round < ROUNDS; round++) {
      await this.#makePlace(instance);
      if (await tx.place(additionOf(target, context))) return;
      const found = await this.#targets.findOne({ _id: instance });
      if (found?.taskId) throw new TargetTaken(instance, found.taskId);
    }
    throw new Error(`the place of instance ${instance} among the targets keeps changing`);
  }

  async #removeOne(tx: MongoTx, instance: string): Promise<boolean> {
    const found = await this.#targets.findOne({ _id: instance, target: { $ne: null } });
    return found !== null && tx.place(removalOf(found));
  }

  async #makePlace(instance: string): Promise<void> {
    if ((await this.#targets.findOne({ _id: instance })) !== null) return;
    try {
      await this.#targets.insertOne({ _id: instance, ...EMPTY, marks: [] });
    } catch (error) {
      // Another attempt has made it in between.
      if ((error as { code?: unknown } | null)?.code !== DUPLICATE_KEY) throw error;
    }
  }
}

/** Watches an instance that nothing watches; undone only while it is still this step's. */
function additionOf({ instance, labels, target }: Target, context: BarrierContext): PlacedEffect {
  const { run, taskId } = context;
  return {
    collection: TARGETS,
    id: instance,
    filter: { target: null },
    update: { $set: { labels, run, target, taskId } },
    undo: { update: { $set: EMPTY }, when: { run, taskId }, otherwise: 'gone' },
  };
}

/**
 * Stops watching an instance, also one of another task; undone only while nothing else is watched.
 */
function removalOf({ _id, labels, run, target, taskId }: TargetDocument): PlacedEffect {
  const before: Content = { labels, run, target, taskId };
  return {
    collection: TARGETS,
    id: _id,
    filter: { run, target, taskId },
    update: { $set: EMPTY },
    undo: { update: { $set: before }, when: { target: null }, otherwise: 'gone' },
  };
}
