import {
  type Dispatch,
  growingDelay,
  type Moment,
  type Refusal,
  type Task,
  type TaskLimits,
  type Timing,
  type Verdict,
} from '#core';
import type { Decision } from '#core/transitions';
import type { Clock, CommitResult, Entropy, Observer, TaskStore } from '#ports';
import { messagesOf } from './dispatched.js';
import type { Effects } from './effects.js';
import { readAtLeast } from './early-messages.js';
import { earlyMessageOf, type Fold, foldOf } from './fold.js';
import type { Sender } from './sender.js';

/** The result of writing a decision to the store. */
export type WriteResult =
  | { readonly kind: 'committed'; readonly task: Task; readonly dispatches: readonly Dispatch[] }
  | (Extract<Verdict, { kind: 'ignored' }> & { readonly task: Task })
  | (Refusal & { readonly task: Task })
  | { readonly kind: 'missing' };

/**
 * Decides on a document; called again with a newer one when another process was faster. Must be
 * repeatable.
 */
export type Decide = (task: Task, moment: Moment) => Decision;

/** Decisions that go into one commit at most. */
const FOLD_MAX = 100;

/** Conflicts in a row after which a commit backs off, and its waits in milliseconds. */
const BACK_OFF_AFTER = 2;
const BACK_OFF = { firstMs: 10, maxMs: 50 };

/** The engine's parts that the writer needs. */
interface WriterParts {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer: Observer;
  readonly limits?: TaskLimits;
  /** Takes a message whose document is about to leave for the store. */
  readonly sender: Pick<Sender, 'sendEarly'>;
  readonly effects: Pick<Effects, 'carryOut'>;
  /** A task was stored in the place of what it was before. Must not throw. */
  readonly moved?: (before: Task, after: Task) => void;
}

/** A decision that waits in its task's mailbox. */
interface Job {
  readonly decide: Decide;
  /** It came with no document that was read: what it comes to counts once it is stored, or read. */
  readonly isGuessing: boolean;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The decisions on one task that this process has yet to write. */
interface Mailbox {
  readonly jobs: Job[];
  /**
   * The newest document that anybody here knows. Dropped once the mailbox is gone: a map that has
   * grown anew keeps its old entries for a while, and these would keep their documents.
   */
  task: Task | null;
}

/** A document that nobody here has read, and the task that it tells of. */
interface Unread {
  readonly taskId: string;
  /** As its message has it; absent: there is none. */
  readonly snapshot?: string | undefined;
}

/**
 * The one way by which a task changes: decide on the document, commit on its revision, tell the
 * observers. Each task has a mailbox: decisions that arrive while a commit of their task is on its
 * way are folded into the next one, so that a process never conflicts with itself.
 */
export class TaskWriter {
  private readonly mailboxes = new Map<string, Mailbox>();

  constructor(
    private readonly parts: WriterParts,
    private readonly timing: Timing,
  ) {}

  /** Time and chance for one decision. */
  moment(): Moment {
    const { clock, entropy, limits } = this.parts;
    return { now: clock.now(), chance: entropy.random(), timing: this.timing, limits };
  }

  /** Like `write`, from the document as stored now. */
  async writeById(taskId: string, decide: Decide): Promise<WriteResult> {
    const task = await this.parts.store.get(taskId);
    return task === null ? { kind: 'missing' } : this.write(task, decide);
  }

  /**
   * Like `writeById`, without reading where the document is known here or in a message. Neither may
   * be true: a decision that moves the task is stored on the condition that it is, and any other
   * one is made anew on the document as stored now.
   */
  writeUnread({ snapshot, taskId }: Unread, decide: Decide): Promise<WriteResult> {
    const { snapshots } = this.parts.store;
    const mailbox = this.mailboxes.get(taskId);
    const isUseful = mailbox === undefined && snapshot !== undefined;
    const guess = isUseful ? (snapshots?.recall(snapshot) ?? null) : null;
    if (mailbox === undefined && guess?.plan.taskId !== taskId) {
      return this.writeRead(taskId, { snapshot, decide });
    }
    return new Promise((resolve, reject) => {
      const job: Job = { decide, isGuessing: true, resolve, reject };
      if (mailbox === undefined) void this.drain(taskId, { jobs: [job], task: guess });
      else mailbox.jobs.push(job);
    });
  }

  /** Like `writeById`, from a document that is not older than the one that a message tells of. */
  private async writeRead(
    taskId: string,
    { decide, snapshot = '' }: { decide: Decide; snapshot?: string | undefined },
  ): Promise<WriteResult> {
    const revision = this.parts.store.snapshots?.revisionIn(snapshot) ?? 0;
    const task = await readAtLeast(this.parts, taskId, revision);
    return task === null ? { kind: 'missing' } : this.write(task, decide);
  }

  /**
   * Decides and commits; when another process moved the document meanwhile, loads it and decides
   * again. Throws `StoreUnavailable` when the store does not answer, after which nothing is known.
   */
  write(task: Task, decide: Decide): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const job: Job = { decide, isGuessing: false, resolve, reject };
      const mailbox = this.mailboxes.get(task.plan.taskId);
      if (mailbox === undefined) {
        void this.drain(task.plan.taskId, { jobs: [job], task });
        return;
      }
      mailbox.jobs.push(job);
      mailbox.task = newer(mailbox.task, task);
    });
  }

  /** Writes what is in a mailbox, and what arrives meanwhile. Never rejects. */
  private async drain(taskId: string, mailbox: Mailbox): Promise<void> {
    this.mailboxes.set(taskId, mailbox);
    while (mailbox.jobs.length > 0) {
      const jobs = mailbox.jobs.splice(0, FOLD_MAX);
      try {
        await this.settle(jobs, mailbox);
      } catch (error) {
        // The others would ask the same store, and wait as long for the same answer.
        for (const job of [...jobs, ...mailbox.jobs.splice(0)]) job.reject(error);
      }
    }
    this.mailboxes.delete(taskId);
    mailbox.task = null;
  }

  /** Answers all of the jobs, or throws what the store threw. */
  private async settle(jobs: readonly Job[], mailbox: Mailbox): Promise<void> {
    const { observer, store } = this.parts;
    let isGuess = jobs.some(({ isGuessing }) => isGuessing);
    for (let conflicts = 0; ; conflicts++) {
      const base = mailbox.task as Task;
      const fold = this.fold(base, jobs, isGuess);
      const isUseless = isGuess && fold.decisions.some((decision) => decision?.kind !== 'moved');
      if (!isUseless) {
        if (fold.task === base) return this.answer(jobs, fold, null);
        const early = earlyMessageOf(store, fold);
        if ((await this.commit(base, fold, early)) === 'committed') {
          mailbox.task = newer(mailbox.task, fold.task);
          observer.committed(fold.task, fold.entries);
          this.parts.moved?.(base, fold.task);
          this.carryOut(fold);
          return this.answer(jobs, fold, early);
        }
      }
      const found = await (isGuess ? this.readGuessed(base) : this.reload(base, conflicts));
      if (found === null) return jobs.forEach(({ resolve }) => resolve({ kind: 'missing' }));
      // A read may be slow, and a newer document be known here by now; a guess is none.
      const isGuessed = isGuess && mailbox.task === base;
      mailbox.task = isGuessed ? found : newer(mailbox.task, found);
      isGuess = false;
    }
  }

  private commit(base: Task, { task }: Fold, early: Dispatch | null): Promise<CommitResult> {
    const { store } = this.parts;
    if (early === null) return store.commit(base, task);
    return store.commit(base, task, () => this.parts.sender.sendEarly(early));
  }

  private fold(base: Task, jobs: readonly Job[], isGuess: boolean): Fold {
    let task = base;
    const decisions = jobs.map((job) => {
      const decision = this.decide(job, task, isGuess);
      if (decision?.kind === 'moved') task = decision.task;
      return decision;
    });
    return foldOf(base, decisions);
  }

  /** A decision that throws is a bug, and must not take those beside it with it. */
  private decide(job: Job, task: Task, isGuess: boolean): Decision | null {
    try {
      return job.decide(task, this.moment());
    } catch (error) {
      if (!isGuess) job.reject(error);
      return null;
    }
  }

  private answer(jobs: readonly Job[], { decisions, task }: Fold, early: Dispatch | null): void {
    const { store } = this.parts;
    for (let position = 0; position < jobs.length; position += 1) {
      const decision = decisions[position];
      if (decision === null || decision === undefined) continue;
      const { resolve } = jobs[position] as Job;
      if (decision.kind !== 'moved') {
        resolve({ ...decision, task });
        continue;
      }
      const isEarly = early !== null && decision.queued.length > 0;
      const dispatches = isEarly ? [early] : messagesOf(store, task, decision.queued);
      resolve({ kind: 'committed', task, dispatches });
    }
  }

  private carryOut({ decisions, task }: Fold): void {
    for (const decision of decisions) {
      if (decision?.kind === 'moved') this.parts.effects.carryOut(task, decision.effects);
    }
  }

  private readGuessed({ plan, revision }: Task): Promise<Task | null> {
    return readAtLeast(this.parts, plan.taskId, revision);
  }

  private async reload(task: Task, conflicts: number): Promise<Task | null> {
    const { clock, entropy, observer, store } = this.parts;
    const { taskId } = task.plan;
    const message = `another process moved task ${taskId}`;
    observer.noticed({ level: 'debug', name: 'commit_conflict', message, taskId });
    if (conflicts >= BACK_OFF_AFTER) {
      const waitMs = growingDelay(BACK_OFF, conflicts - BACK_OFF_AFTER + 1);
      await clock.sleep(entropy.random() * waitMs);
    }
    return store.get(taskId);
  }
}

function newer(one: Task | null, other: Task): Task {
  return one === null || other.revision > one.revision ? other : one;
}
