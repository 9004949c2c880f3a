import type { AnyBulkWriteOperation, Collection, Db, Filter, UpdateFilter } from 'mongodb';
import { assertNever, type Task } from '#core';
import type { CommitResult } from '#ports';
import { Batcher, type Entry } from './batcher.js';
import { commitUpdate, type CommitUpdate } from './commit-update.js';
import { DocumentRefused, isRefusal } from './failure.js';
import { COLLECTIONS } from './migrations.js';
import { Persistence, type Rest } from './persistence.js';
import type { BulkReport, ServerCalls } from './server-calls.js';
import type { Snapshots } from './snapshots.js';
import type { TaskDocument } from './task-document.js';
import { fateOf, type Fate, type Trace } from './writers.js';

interface Commit {
  readonly taskId: string;
  /** Revision that it was made from. */
  readonly from: number;
  readonly mark: string;
  /** Hash that the document must have, where it was not read. */
  readonly snapshotHash: string | undefined;
  readonly update: CommitUpdate;
}

/** The fields of a document that are read back. */
type Found = Trace & Pick<TaskDocument, 'snapshotHash'>;

type Open = Entry<Commit, CommitResult>;

interface Proof {
  /** The server answered the last attempt in full. */
  readonly isSure: boolean;
  /** It did so every time: ours cannot have been applied without its mark being among the last. */
  readonly wasSure: boolean;
  /**
   * The stored document is older than the one that the commit was made from, or is another one than
   * a message said: ours cannot be applied to it.
   */
  readonly isNoMatch: boolean;
}

/** Writes transitions: each one conditional update of one document, many in one round trip. */
export class CommitWriter {
  private readonly tasks: Collection<TaskDocument>;
  private readonly batcher: Batcher<Commit, CommitResult>;
  /** An attempt was not answered, so that it may have been applied and built upon. */
  private readonly doubtful = new WeakSet<Open>();
  private readonly persistence: Persistence<Commit, CommitResult>;
  /** A commit has said that it leaves, and leaves in the next turn. */
  private isLed = false;

  constructor(
    private readonly db: Pick<Db, 'collection' | 'command'>,
    private readonly calls: ServerCalls,
    private readonly snapshots: Snapshots,
  ) {
    this.tasks = db.collection<TaskDocument>(COLLECTIONS.tasks);
    this.persistence = new Persistence(calls, 'commit', (open, ms) => this.attempt(open, ms));
    const run = (entries: readonly Open[]): Promise<void> => this.persistence.settle(entries);
    this.batcher = new Batcher({ ...calls.settings, run });
  }

  /**
   * Resolves once the fate of the commit is known. `onLeaving`: called first where it will leave
   * alone, for a server that answers; a batch takes longer than a message may be on its way.
   */
  async commit(previous: Task, next: Task, onLeaving?: () => void): Promise<CommitResult> {
    if (onLeaving !== undefined && this.leavesAlone) await this.lead(onLeaving);
    const mark = this.calls.settings.newMark();
    const update = commitUpdate(previous, next, mark);
    const hash = this.snapshots.hashOf(next);
    if (hash !== null) update.$set['snapshotHash'] = hash;
    const { taskId } = next.plan;
    const snapshotHash = this.snapshots.conditionOf(previous);
    const from = previous.revision;
    return this.batcher.submit({ taskId, from, mark, snapshotHash, update });
  }

  private get leavesAlone(): boolean {
    return !this.isLed && this.batcher.isQuiet && this.calls.isAnswered;
  }

  /** A message that is sent now is written in the next turn, and goes before the write. */
  private async lead(onLeaving: () => void): Promise<void> {
    this.isLed = true;
    try {
      onLeaving();
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      this.isLed = false;
    }
  }

  close(): Promise<void> {
    return this.batcher.close();
  }

  private async attempt(open: readonly Open[], ms: number): Promise<Rest<Open>> {
    const report = await this.send(open, ms);
    if (report.isSure && report.applied === open.length) {
      for (const entry of open) entry.resolve('committed');
      return { open: [], cause: undefined };
    }
    if (!report.isSure) for (const entry of open) this.doubtful.add(entry);
    const missed = open.filter((entry, position) => !this.isRefused(entry, report, position));
    return this.readBack(missed, { report, ms });
  }

  private send(open: readonly Open[], ms: number): Promise<BulkReport> {
    const [only] = open;
    if (only === undefined || open.length > 1) {
      return this.calls.write(this.tasks, open.map(toOperation), ms);
    }
    const { collectionName: collection } = this.tasks;
    const update = { collection, q: filterOf(only.item), u: only.item.update };
    return this.calls.update(this.db, update, ms);
  }

  private isRefused(entry: Open, report: BulkReport, position: number): boolean {
    const code = report.errors.get(position);
    if (!isRefusal(code)) return false;
    const { taskId } = entry.item;
    entry.reject(new DocumentRefused(`Task ${taskId} cannot be stored (error ${code}).`));
    return true;
  }

  /**
   * The totals do not say which ones missed, and a miss proves nothing: the driver may have sent an
   * update twice, to a server that forgot the first time. Only the documents know.
   */
  private async readBack(
    open: readonly Open[],
    context: { report: BulkReport; ms: number },
  ): Promise<Rest<Open>> {
    const { report, ms } = context;
    try {
      const traces = await this.tracesOf(open, ms);
      const rest = open.filter((entry) => !this.settle(entry, traces, report));
      return { open: rest, cause: report.cause ?? new Error('not applied, and no reason given') };
    } catch (error) {
      return { open, cause: report.cause ?? error };
    }
  }

  /** Whether the entry is settled now. */
  private settle(entry: Open, traces: ReadonlyMap<string, Found>, report: BulkReport): boolean {
    const { isSure } = report;
    const stored = traces.get(entry.item.taskId);
    const { from, snapshotHash } = entry.item;
    const isBehind = stored !== undefined && stored.revision < from;
    const isOther = snapshotHash !== undefined && stored?.snapshotHash !== snapshotHash;
    const proof = { isSure, wasSure: !this.doubtful.has(entry), isNoMatch: isBehind || isOther };
    const result = resultOf(fateOf(entry.item, stored), proof);
    if (result === undefined) return false;
    if (result === 'unknown') {
      entry.reject(this.calls.unavailable('commit: too many others on top', report.cause));
    } else {
      entry.resolve(result);
    }
    return true;
  }

  private async tracesOf(open: readonly Open[], ms: number): Promise<ReadonlyMap<string, Found>> {
    const ids = [...new Set(open.map(({ item }) => item.taskId))];
    const projection = { revision: 1, snapshotHash: 1, writers: 1 };
    const read = (): Promise<TaskDocument[]> =>
      this.tasks.find({ _id: { $in: ids } }, { projection }).toArray();
    const documents = await this.calls.call('reading back commits', read, ms);
    return new Map(documents.map((document) => [document._id, document]));
  }
}

/** Which result the stored document proves, if any. */
function resultOf(fate: Fate, proof: Proof): CommitResult | 'unknown' | undefined {
  switch (fate) {
    case 'applied':
      return 'committed';
    case 'lost':
      return 'conflict';
    case 'absent':
      return proof.isSure && proof.isNoMatch ? 'conflict' : undefined;
    case 'unknown':
      return proof.wasSure ? 'conflict' : 'unknown';
    default:
      return assertNever(fate);
  }
}

/** Never an upsert: it would bring back a task that retention removed. */
function toOperation({ item }: Open): AnyBulkWriteOperation<TaskDocument> {
  const update = item.update as UpdateFilter<TaskDocument>;
  return { updateOne: { filter: filterOf(item), update } };
}

/** The document that the commit was made from, and no other one. */
function filterOf({ from: revision, snapshotHash, taskId: _id }: Commit): Filter<TaskDocument> {
  return snapshotHash === undefined ? { _id, revision } : { _id, revision, snapshotHash };
}
