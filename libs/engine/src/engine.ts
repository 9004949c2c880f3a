import {
  type ActionRef,
  type EventOf,
  type FlowOfTask,
  questionOf,
  type Task,
  type TaskRequest,
} from '#core';
import type { Observer } from '#ports';
import { AdmissionRounds, LIMITS_EVERY_MS } from './admission-rounds.js';
import { answerFor } from './answer-for.js';
import { AwaitedCommands } from './awaited-commands.js';
import { Children } from './children.js';
import { Desk } from './desk.js';
import { Executor } from './executor.js';
import { ANNOUNCE_EVERY_MS, ExecutorDirectory, type SeenExecutor } from './executor-directory.js';
import { Governance } from './governance.js';
import { Locks, LockWatch } from './locks.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Loop } from './loop.js';
import {
  type Foreseen,
  type OperateResult,
  type PersonsEvent,
  TaskOperation,
} from './operate-task.js';
import { OwedTasks } from './owed-tasks.js';
import type { EngineParts, EngineSettings } from './parts.js';
import { Recovery } from './recovery.js';
import { sealEvent } from './sealing.js';
import { SessionRelease } from './session-release.js';
import { SessionWatch } from './session-watch.js';
import { makePieces, type Pieces } from './pieces.js';
import { type Submitted, TaskSubmission } from './submit-task.js';
import type { TaskMover } from './task-mover.js';
import { TaskWatch } from './task-watch.js';
import type { WorkDesk } from './work-desk.js';

/** Rounds of governance for each look through all locks. */
const LOCK_ROUNDS = 5;

/** Which of the engine's duties a process has. */
export interface Duties {
  /** Runs steps of the modules in its catalogue. */
  readonly executor: boolean;
  /** Looks after due tasks. */
  readonly governance: boolean;
  /** The process is the only one on its store, and takes up what its former life left. */
  readonly recovery: boolean;
}

/** All of Backstep's behaviour over its ports, for one process. */
export class Engine {
  readonly watch: TaskWatch;
  readonly governance: Governance;
  readonly release: SessionRelease;
  readonly directory: ExecutorDirectory;
  readonly pieces: Pieces;
  /** Where workers fetch actions. */
  readonly desk: WorkDesk;
  private readonly executor: Executor;
  private readonly workers: Desk;
  private readonly sessions: SessionWatch;
  private readonly submission: TaskSubmission;
  private readonly operation: TaskOperation;
  private readonly recovery: Recovery;
  private readonly loops: Loop[] = [];
  private readonly keeper: LeaseKeeper;
  private readonly parts: EngineParts;
  private readonly children: Children;
  private readonly locks: Locks;
  private readonly owed: OwedTasks;

  constructor(
    parts: EngineParts,
    settings: EngineSettings,
    private readonly duties: Duties,
  ) {
    this.watch = new TaskWatch(parts.store, parts.clock);
    const told: Observer = {
      committed: (task, entries) => {
        this.workers.claims.taskMoved(task);
        this.children.committed(task, entries);
      },
      noticed: () => {},
    };
    this.parts = { ...parts, observer: both(this.watch, both(told, parts.observer)) };
    this.pieces = makePieces(this.parts, settings, duties.governance);
    const { mover, state } = this.pieces;
    this.directory = new ExecutorDirectory(this.parts, settings, state.slots);
    const { directory } = this;
    this.sessions = new SessionWatch(this.parts, settings, state.session);
    const awaited = new AwaitedCommands({ ...this.parts, list: () => this.living() });
    const others = { awaited, watch: this.sessions };
    this.governance = new Governance(this.parts, settings, this.pieces, others);
    this.release = new SessionRelease({
      governance: this.governance,
      sessions: parts.sessions,
      sight: state.session.sight,
      watch: this.sessions,
    });
    this.executor = new Executor(this.parts, settings, this.pieces, directory);
    const { version } = settings.build;
    const isOnly = duties.recovery;
    this.workers = new Desk(this.parts, this.pieces, { directory, version, isOnly });
    this.desk = this.workers;
    this.submission = new TaskSubmission(this.parts, mover, directory);
    this.operation = new TaskOperation(mover, parts.store);
    this.keeper = new LeaseKeeper(this.parts, settings, this.pieces);
    this.recovery = new Recovery(this.parts, state);
    const questions = new Questions(this.parts, mover);
    this.children = new Children(this.parts, mover);
    this.locks = new Locks(this.parts, mover);
    this.owed = new OwedTasks(this.parts, settings, mover);
    const { children, governance, locks, owed } = this;
    const { strays } = this.pieces;
    state.effects.serve({ questions, children, locks, owed, governance, strays });
    this.makeLoops(settings);
  }

  /** Starts this process's duties. Resolves when it takes work. */
  async start(): Promise<void> {
    // Nothing is claimed before the session lives; where it cannot begin now, it does so later.
    await this.keeper.tick();
    await this.keeper.settled();
    // It may have been started in place of one that died.
    await this.sessions.endGone().catch(() => {
      // Their leases end by themselves.
    });
    // Where the store does not answer now, they are read before the first claim.
    await this.pieces.state.limits.refresh().catch(() => {});
    // Recovered work waits in line, all of it, before the first of it starts.
    if (this.duties.recovery) await this.recovery.run();
    if (this.duties.executor) await this.executor.start();
    for (const loop of this.loops) loop.start();
  }

  /**
   * Drains and stops; the ports stay open for their owner to close. Safe to call twice and before
   * start.
   */
  async stop(): Promise<void> {
    this.children.stop();
    this.locks.stop();
    this.owed.stop();
    this.pieces.state.admissions.stop();
    await this.workers.close();
    await this.executor.stop();
    await Promise.all(this.loops.map((loop) => loop.stop()));
    const withdrawn = this.duties.executor ? this.directory.withdraw().catch(() => {}) : null;
    await Promise.all([this.pieces.state.session.close(), withdrawn]);
  }

  /** Makes and stores a task; see `TaskSubmission`. */
  submit(flow: FlowOfTask, request: TaskRequest): Promise<Submitted> {
    return this.submission.submit(flow, request);
  }

  /** Makes a task under an id that follows from what it is for; see `TaskSubmission`. */
  submitOnce(flow: FlowOfTask, request: TaskRequest, taskId: string): Promise<void> {
    return this.submission.submitOnce(flow, request, taskId);
  }

  /**
   * Carries out a person's action, or takes what somebody outside says; what it brings along of
   * secrets is sealed. Throws `NoSecretKey`, and what `TaskOperation` throws.
   */
  async operate(
    taskId: string,
    event: PersonsEvent | EventOf<'completed'>,
    revision?: number,
  ): Promise<OperateResult> {
    const { flows, store } = this.parts;
    const { secrets } = this.pieces.mover;
    const parts = { directory: this.directory, flows, secrets, store };
    const sealed = await sealEvent(parts, taskId, event);
    return this.operation.operate(taskId, sealed, revision);
  }

  /** Tries a person's action out and changes nothing; see `TaskOperation`. */
  foresee(taskId: string, event: PersonsEvent): Promise<Foreseen> {
    return this.operation.foresee(taskId, event);
  }

  /**
   * Executors and workers of every module that were heard of lately, and workers that have fallen
   * silent within the last hour. Where this process looks after sessions, executors whose session
   * is over are left out, and those that owe a renewal are silent. Throws `StoreUnavailable`.
   */
  async seenExecutors(): Promise<readonly SeenExecutor[]> {
    const [living, silent] = await Promise.all([this.living(), this.workers.roster.silent()]);
    return [...living, ...silent.map((record) => ({ ...record, silentSince: record.seenAt }))];
  }

  /** Those of `seenExecutors` that may still take actions. */
  private async living(): Promise<readonly SeenExecutor[]> {
    const [records, standings] = await Promise.all([
      this.directory.listAll(),
      this.sessions.standings(),
    ]);
    const now = this.parts.clock.now();
    return records.flatMap((record) => {
      const { isOver = false, silentMs = null } = standings.get(record.instance) ?? {};
      const silentSince = silentMs === null ? null : now - silentMs;
      return isOver ? [] : [{ ...this.workers.roster.current(record), silentSince }];
    });
  }

  private makeLoops(settings: EngineSettings): void {
    const { clock, observer } = this.parts;
    const add = (name: string, intervalMs: number, tick: () => Promise<unknown>): void => {
      this.loops.push(new Loop({ name, intervalMs, tick }, clock, observer));
    };
    // Also one that only looks after others: its own renewals show whether theirs are possible.
    add('lease_keeper', this.keeper.intervalMs, () => this.keeper.tick());
    const admitted = new AdmissionRounds(this.parts, this.duties.governance, this.pieces.state);
    if (this.parts.records !== undefined) {
      add('module_limits', LIMITS_EVERY_MS, () => admitted.tick());
    }
    if (this.duties.executor) {
      add('announcement', ANNOUNCE_EVERY_MS, () => this.directory.tick());
    }
    if (this.duties.governance) {
      add('workers', ANNOUNCE_EVERY_MS, () => this.workers.tick());
      add('session_watch', settings.governanceIntervalMs, () => this.release.tick());
      add('governance', settings.governanceIntervalMs, () => this.governance.tick());
      const watch = new LockWatch(this.parts, this.locks);
      add('lock_watch', LOCK_ROUNDS * settings.governanceIntervalMs, () => watch.tick());
    }
  }
}

function both(first: Observer, second: Observer): Observer {
  return {
    committed(task, entries) {
      first.committed(task, entries);
      second.committed(task, entries);
    },
    noticed(notice) {
      second.noticed(notice);
    },
    delivered(news) {
      second.delivered?.(news);
    },
  };
}

/**
 * Has the templates of steps worked out that a commit of this process asked about, and tells their
 * tasks. Whatever is lost on the way is asked about again by governance.
 */
class Questions {
  constructor(
    private readonly parts: Pick<EngineParts, 'entropy' | 'evaluator' | 'observer'>,
    private readonly mover: TaskMover,
  ) {}

  /** A document was stored that asks about this action. Never throws. */
  ask(task: Task, ref: ActionRef): void {
    this.answer(task, ref).catch((error: unknown) => {
      const { taskId } = task.plan;
      const message = `an expression of task ${taskId} could not be evaluated yet: ${String(error)}`;
      this.parts.observer.noticed({ level: 'warn', name: 'question_open', message, taskId });
    });
  }

  private async answer(task: Task, ref: ActionRef): Promise<void> {
    const question = questionOf(task, ref);
    if (question === null) return;
    const { id, members, scene } = question;
    const { entropy, evaluator } = this.parts;
    const { hasSecrets } = task;
    const answer = await answerFor({ entropy, evaluator, hasSecrets }, { members, scene });
    await this.mover.tell(task, { kind: 'answered', ...ref, question: id, answer });
  }
}
