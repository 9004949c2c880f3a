import { type Dispatch, growingDelay, type Task } from '#core';
import { actionOf, openActions, runOf } from '#core/scopes';
import {
  ADMISSION,
  type AdmissionRecord,
  type ModuleLimit,
  type Previous,
  recordsOf,
  RecordUnreadable,
  type TaskAction,
  type Timer,
  type WaitingAction,
  waitingId,
} from '#ports';
import {
  type Admission,
  type Asked,
  decideAdmission,
  type AdmissionDecision,
  emptyAdmission,
  type Ended,
  mostOf,
  type Waiting,
} from './admission.js';
import { actionIn, isAskedFor, isInHand, messageFor } from './dispatched.js';
import { readAtLeast } from './early-messages.js';
import type { EngineParts } from './parts.js';
import type { Decide, TaskWriter, WriteResult } from './task-writer.js';
import type { ModuleLimits } from './module-limits.js';
import { type Comer, WaitingActions } from './waiting-actions.js';

/** The waits between two tries to write who is admitted, in milliseconds. */
const BACK_OFF = { firstMs: 2, maxMs: 50 };

/** Claims of one message that are tried: a change of its task may overtake each. */
const TRIES = 10;

/** Messages that wait at a broker from which on nobody is called: they are not taken anyway. */
const CROWDED_FROM = 50;

/** Those of a line that are looked at in one go. */
const LINE_PAGE = 20;

/** A request, and the way to its answer. */
interface Request {
  readonly asked: Asked;
  readonly group: string | null;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

/** All that this process has to do for one module. */
interface ModuleWork {
  requests: Request[];
  ended: Ended[];
  /** Somebody who waits may be called. */
  mayCall: boolean;
  isBusy: boolean;
  timer: Timer | null;
}

/** The result of a claim: as it was written, or that its action waits for the limit. */
export type ClaimResult = WriteResult | { readonly kind: 'waiting' };

const NOBODY: Waiting = { normal: [], rollback: [] };

/**
 * Keeps the limits of modules true over all processes. Of each module with limits one record names
 * the actions that are admitted, and every write of it is conditional on the one before. An action
 * is admitted first and claimed then, on the very revision of its task for which it was admitted:
 * so one that is admitted no more cannot be claimed late. It counts until its task is seen on a
 * later revision on which it does not run; which process sees that does not matter.
 *
 * An action that is not admitted waits in a line of the store, and its message is done with. Where
 * one has ended, the next is called: it is admitted, and its message sent.
 */
export class Admissions {
  private readonly works = new Map<string, ModuleWork>();
  private readonly records;
  private readonly line: WaitingActions | null;
  private isStopped = false;

  constructor(
    private readonly parts: EngineParts,
    private readonly limits: ModuleLimits,
    private readonly others: {
      readonly writer: TaskWriter;
      /** This process. */
      readonly self: string;
    },
  ) {
    const { records } = parts;
    this.records = records === undefined ? null : recordsOf(records, ADMISSION);
    this.line = records === undefined ? null : new WaitingActions(records);
  }

  /** Whether actions of a module may be claimed only by `claim`, as far as is known. */
  isLimited(module: string): boolean {
    return !this.limits.isFresh || this.limits.of(module) !== undefined;
  }

  /**
   * Claims what a message asks for, as `decide` says, if its module admits it. Without limits that
   * is one write. Throws `StoreUnavailable`, after which nothing is known.
   */
  async claim(dispatch: Dispatch, decide: Decide): Promise<ClaimResult> {
    const { limits } = this;
    const { message, snapshot } = dispatch;
    const { module, taskId } = message;
    if (!limits.isFresh) await limits.refresh();
    const limit = limits.of(module);
    if (limit === undefined) return this.others.writer.writeUnread({ taskId, snapshot }, decide);
    for (let nth = 1; ; nth += 1) {
      const result = await this.claimOnce(dispatch, decide, limit);
      if (result !== 'overtaken') return result;
      if (nth === TRIES) return { kind: 'waiting' };
    }
  }

  private async claimOnce(
    dispatch: Dispatch,
    decide: Decide,
    limit: ModuleLimit,
  ): Promise<ClaimResult | 'overtaken'> {
    const { message, snapshot = '' } = dispatch;
    const least = this.parts.store.snapshots?.revisionIn(snapshot) ?? 0;
    const task = await readAtLeast(this.parts, message.taskId, least);
    if (task === null) return { kind: 'missing' };
    const ref = actionIn(task, dispatch);
    if (ref === null || !isAskedFor(task, ref, message.attempt)) {
      return { kind: 'ignored', reason: 'no_such_action', task };
    }
    const { revision } = task;
    const asked = { taskId: message.taskId, ...ref, revision, orderAt: dispatch.orderAt };
    const admission = await this.ask(asked, task, limit);
    if (admission === 'full') return { kind: 'waiting' };
    if (admission === 'held') return { kind: 'ignored', reason: 'not_queued', task };
    let isOvertaken = false;
    const result = await this.others.writer.write(task, (current, moment) => {
      isOvertaken = current.revision !== revision;
      return isOvertaken ? { kind: 'ignored', reason: 'not_queued' } : decide(current, moment);
    });
    const isRunning = result.kind === 'committed' && isInHand(result.task, ref);
    // No claim on this revision is on its way any more.
    if (!isRunning) this.end(limit.module, { ...asked, by: this.others.self });
    return isOvertaken ? 'overtaken' : result;
  }

  private async ask(asked: Asked, task: Task, limit: ModuleLimit): Promise<Admission> {
    const { module } = limit;
    const group = groupOf(task, limit);
    for (;;) {
      const admission = await new Promise<Admission>((resolve, reject) => {
        this.of(module).requests.push({ asked, group, resolve, reject });
        this.kick(module);
      });
      if (typeof admission !== 'number') return admission;
      await this.parts.clock.sleep(admission);
    }
  }

  /** A task moved: what ran of it and runs no more counts no more. */
  moved(before: Task, after: Task): void {
    if (!this.limits.hasAny) return;
    const { taskId } = before.plan;
    for (const ref of openActions(before)) {
      if (!isInHand(before, ref) || isInHand(after, ref)) continue;
      const module = actionOf(before, ref)?.module ?? '';
      if (typeof this.limits.of(module)?.maxConcurrency !== 'number') continue;
      this.end(module, { taskId, ...ref, below: after.revision });
    }
  }

  /** Has somebody called who waits for a module, where there is room. Never throws. */
  callNext(module: string): void {
    this.of(module).mayCall = true;
    this.kick(module);
  }

  /** An action has ended, as far as it was admitted. Never throws. */
  end(module: string, ended: Ended): void {
    const work = this.of(module);
    work.ended.push(ended);
    work.mayCall = true;
    this.kick(module);
  }

  /** How many wait in the lines of a module, up to a number. Throws `StoreUnavailable`. */
  async inLine(module: string, upTo: number): Promise<number> {
    if (this.line === null || this.limits.of(module) === undefined) return 0;
    const { normal, rollback } = await this.line.first(module, upTo);
    return Math.min(upTo, normal.length + rollback.length);
  }

  /** The actions of a module that are admitted. Throws `StoreUnavailable`. */
  async admitted(module: string): Promise<AdmissionRecord> {
    return (await this.read(module)).known;
  }

  /**
   * Adds actions that ran before the limit was set, unless another process was faster. Throws
   * `StoreUnavailable`.
   */
  async count(
    limit: ModuleLimit,
    running: readonly (TaskAction & { readonly revision: number })[],
  ): Promise<void> {
    const { known, stored } = await this.read(limit.module);
    const ids = new Set(known.actions.map(waitingId));
    const added = running.filter((each) => !ids.has(waitingId(each)));
    const at = this.parts.clock.now();
    const actions = [...known.actions, ...added.map((each) => ({ ...each, by: '', at }))];
    const counted = limit.generation;
    await this.records?.put({ ...known, revision: known.revision + 1, actions, counted }, stored);
  }

  /** Sends no more and calls nobody. */
  stop(): void {
    this.isStopped = true;
    for (const { timer } of this.works.values()) timer?.cancel();
  }

  private of(module: string): ModuleWork {
    let work = this.works.get(module);
    if (work === undefined) {
      work = { requests: [], ended: [], mayCall: false, isBusy: false, timer: null };
      this.works.set(module, work);
    }
    return work;
  }

  private kick(module: string): void {
    const work = this.of(module);
    if (!work.isBusy) void this.serve(module, work);
  }

  /** One write after the other: what comes meanwhile goes into the next one. Never throws. */
  private async serve(module: string, work: ModuleWork): Promise<void> {
    work.isBusy = true;
    while (work.requests.length > 0 || work.ended.length > 0 || work.mayCall) {
      const requests = work.requests.splice(0);
      const ended = work.ended.splice(0);
      const mayCall = work.mayCall && !this.isStopped;
      work.mayCall = false;
      try {
        await this.round(module, { requests, ended, mayCall });
      } catch (error) {
        // The ends that are lost are seen by those who look at what is admitted.
        for (const { reject } of requests) reject(error);
      }
    }
    work.isBusy = false;
  }

  private async round(module: string, work: Work): Promise<void> {
    const limit = this.limits.of(module);
    if (limit === undefined) {
      for (const { resolve } of work.requests) resolve('admitted');
      return;
    }
    const decision = await this.decide(limit, work);
    const { answers, called, missed } = decision;
    const full = work.requests.filter((_request, position) => answers[position] === 'full');
    const comers = full.map(({ asked, group }): Comer => ({ ...asked, group }));
    const late = missed.map((each) => this.again(each, limit));
    const all = [...comers, ...(await Promise.all(late)).filter((each) => each !== null)];
    await this.line?.add(module, all, Math.max(limit.fairSince, decision.next.turn));
    for (const [position, request] of work.requests.entries()) {
      request.resolve(answers[position] ?? 'full');
    }
    await Promise.all(called.map((each) => this.send(module, each)));
    // There may have been room before they stood in line.
    if (full.length > 0 || called.length > 0) this.of(module).mayCall = true;
    if (limit.ratePerSecond !== null) this.callAt(module, decision.next.nextAt);
  }

  private async decide(limit: ModuleLimit, work: Work): Promise<AdmissionDecision> {
    const { module } = limit;
    for (let nth = 1; ; nth += 1) {
      const { known, stored } = await this.read(module);
      const waiting = await this.waitingFor(limit, known, work);
      const decision = decideAdmission(known, {
        limit,
        waiting,
        ended: work.ended,
        now: this.parts.clock.now(),
        mayCall: work.mayCall,
        asked: work.requests.map(({ asked }) => asked),
        self: this.others.self,
      });
      await this.forgetAdmitted(known, waiting);
      const { next } = decision;
      if (next === known || (await this.records?.put(next, stored)) === true) return decision;
      const waitMs = growingDelay(BACK_OFF, nth);
      await this.parts.clock.sleep(this.parts.entropy.random() * waitMs);
    }
  }

  /** Nobody came for an action in time: it goes behind the others. Null: it is not queued. */
  private async again(action: TaskAction, limit: ModuleLimit): Promise<Comer | null> {
    const { direction, step, taskId } = action;
    const task = await this.parts.store.get(taskId);
    if (task === null || runOf(task, action)?.state !== 'queued') return null;
    const orderAt = this.parts.clock.now();
    return { taskId, direction, step, orderAt, group: groupOf(task, limit) };
  }

  /** The first of those that wait for a module, as far as the decision may need it. */
  private async waitingFor(
    limit: ModuleLimit,
    { actions }: AdmissionRecord,
    { ended, mayCall, requests }: Work,
  ): Promise<Waiting> {
    const room = mostOf(limit, 'rollback') - actions.length + ended.length;
    if (room <= 0 || this.line === null) return NOBODY;
    const { transport } = this.parts;
    const mayBeCalled =
      mayCall &&
      transport.obstacle === null &&
      ((await transport.depth(limit.module)) ?? 0) <= CROWDED_FROM;
    if (!mayBeCalled && requests.length === 0) return NOBODY;
    return this.line.first(limit.module, mayBeCalled ? Math.min(room + 1, LINE_PAGE) : 1);
  }

  /** An admitted action stands in no line. */
  private async forgetAdmitted({ actions }: AdmissionRecord, waiting: Waiting): Promise<void> {
    const claimed = new Set(actions.filter(({ by }) => by !== null).map(waitingId));
    for (const each of [...waiting.normal, ...waiting.rollback]) {
      if (claimed.has(waitingId(each))) await this.line?.remove(each);
    }
  }

  /** Sends the message of an action that was called, if its task still wants it. */
  private async send(module: string, action: WaitingAction): Promise<void> {
    const { store, transport } = this.parts;
    try {
      const task = await store.get(action.taskId);
      const messages = task === null ? [] : messageFor(store, task, action);
      if (messages.length === 0) this.end(module, { ...action, by: null, revision: 0 });
      else await transport.publish(messages);
      await this.line?.remove(action);
    } catch {
      // Nobody comes for it, and it is called once more.
    }
  }

  /** By the rate the next one may start then. */
  private callAt(module: string, at: number): void {
    const work = this.of(module);
    const waitMs = at - this.parts.clock.now();
    if (waitMs <= 0 || work.timer !== null || this.isStopped) return;
    work.timer = this.parts.clock.after(waitMs, () => {
      work.timer = null;
      this.callNext(module);
    });
  }

  private async read(
    module: string,
  ): Promise<{ known: AdmissionRecord; stored: Previous<AdmissionRecord> }> {
    const stored = await this.records?.get(module).catch((error: unknown) => {
      if (error instanceof RecordUnreadable) return error;
      throw error;
    });
    const isKnown =
      stored !== null && stored !== undefined && !(stored instanceof RecordUnreadable);
    return { known: isKnown ? stored : emptyAdmission(module), stored: stored ?? null };
  }
}

/** The work of one write. */
interface Work {
  readonly requests: readonly Request[];
  readonly ended: readonly Ended[];
  readonly mayCall: boolean;
}

function groupOf({ plan }: Task, { fairBy }: ModuleLimit): string | null {
  return fairBy === null ? null : (plan.labels[fairBy] ?? '');
}
