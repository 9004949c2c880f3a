import {
  ALERT_RUN,
  isCaught,
  isFinal,
  JOURNAL_MAX,
  mayHaveEffect,
  type StepRuns,
  type Task,
  TASK_STATUS,
} from '#core';
import { runIdOf, stepAt } from '#core/scopes';
import type { Orders } from '../orders.js';
import type { Participant } from '../participant.js';
import type { Deed } from '../persons.js';
import { STEPS_MIN } from '../random-wide.js';
import type { StoreServer } from '../store-server.js';
import type { World } from '../world.js';
import type { LedgerCheck } from './ledger-check.js';

/** Everything that a history left behind. */
export interface Remains {
  readonly server: StoreServer;
  readonly participant: Participant;
  readonly ledger: LedgerCheck;
  readonly orders: Orders;
  readonly deeds: readonly Deed[];
}

/** Looks at what is left when a history is over. */
export class ClosingCheck {
  constructor(
    private readonly world: World,
    private readonly remains: Remains,
  ) {}

  look(): void {
    const tasks = [...this.remains.server.tasks.values()];
    for (const task of tasks) {
      if (!isFinal(task.status)) this.fail('I1', task, `ended with status ${task.status}`);
      this.seeWide(task);
      this.lookAtFlow(task);
      task.runs.forEach((_, step) => this.lookAtStep(task, step));
    }
    this.lookAtKeys(tasks);
    for (const deed of this.remains.deeds) this.lookAtDeed(deed);
  }

  private seeWide({ outcome, runs }: Task): void {
    if (runs.length < STEPS_MIN || this.world.scenario.wide === null) return;
    this.world.see(`wide task ${outcome?.replace('_', ' ')}`);
  }

  /** A task has the steps of the version it was made of, whatever its flow became. */
  private lookAtFlow(task: Task): void {
    const { flow, flowVersion, parent, steps } = task.plan;
    // Alert tasks are of a built-in flow.
    if (parent?.isPart === true || parent?.run === ALERT_RUN) return;
    const { all, versions } = this.remains.orders;
    if (versions.get(`${flow} ${flowVersion}`) !== steps) {
      this.fail('I16', task, `its steps are not those of version ${flowVersion}`);
    }
    const newest = all.find(({ definition }) => definition.name === flow)?.version;
    if (newest !== undefined && newest !== flowVersion)
      this.world.see('task kept an old version of its flow');
  }

  private lookAtStep(task: Task, step: number): void {
    const name = runIdOf(task, step);
    const runs = task.runs[step];
    if (runs === undefined || stepAt(task, step)?.normal === undefined) return;
    this.lookAtFormer(task, step);
    const net = this.remains.participant.netOf(task.plan.taskId, name);
    const wanted = this.wantedAt(task, step);
    if (wanted !== null && net !== wanted) {
      this.fail('I2', task, `${name} has ${net} effects, not ${wanted}`);
    }
    const { entered } = this.remains.ledger;
    const ran = entered.has(`${task.plan.taskId} ${name} normal`);
    const state = runs.rollback?.state;
    const isUndone = state === undefined || state === 'succeeded' || state === 'skipped';
    if (task.status === TASK_STATUS.rolled_back && ran && !isUndone) {
      this.fail('I4', task, `${name} ran, and its rollback is ${state}`);
    }
    this.lookAtRefusals(task, step, runs);
    this.lookAtAttempts(task, step, 'normal');
    if (runs.rollback !== null) this.lookAtAttempts(task, step, 'rollback');
  }

  private wantedAt(task: Task, step: number): number | null {
    const runs = task.runs[step] as StepRuns;
    const isProgram = this.world.scenario.programs !== null;
    return isProgram ? effectsOfRun(task, step) : wantedEffects(task, runs);
  }

  /** Former runs of a reset step leave no effect, unless a person skipped their rollback. */
  private lookAtFormer(task: Task, step: number): void {
    const { name = '', rollback } = stepAt(task, step) ?? {};
    // Where there is no rollback, effects stay.
    const generation = rollback ? (task.runs[step]?.generation ?? 1) : 1;
    for (let former = 1; former < generation; former += 1) {
      const id = former === 1 ? name : `${name}~${former}`;
      const isByHand = task.journal.entries().some(({ kind, run, step: about }) => {
        return kind === 'skip_requested' && (run ?? about) === id;
      });
      const net = this.remains.participant.netOf(task.plan.taskId, id);
      if (net !== 0 && !isByHand) this.fail('I23', task, `${id} was reset and has ${net} effects`);
    }
  }

  /** Only what was entered is undone, and what was entered counts as that. */
  private lookAtRefusals(task: Task, step: number, { normal, rollback }: StepRuns): void {
    if (mayHaveEffect(normal)) return;
    const name = runIdOf(task, step);
    if (normal.refused > 0) this.world.see('nothing to undo of a refused step');
    if (rollback !== null && rollback.startedAt !== null) {
      this.fail('I18', task, `${name} was refused before it was entered, and was undone`);
    }
    if (this.remains.ledger.entered.has(`${task.plan.taskId} ${name} normal`)) {
      this.fail('I18', task, `${name} was entered, and counts as refused before that`);
    }
  }

  private lookAtAttempts(task: Task, step: number, direction: 'normal' | 'rollback'): void {
    // A journal that grew too long does not tell how often an attempt was handed back.
    if (task.journalSeq > JOURNAL_MAX) return;
    const plan = stepAt(task, step);
    const action = direction === 'normal' ? plan?.normal : plan?.rollback;
    if (plan === undefined || !action) return;
    const id = runIdOf(task, step);
    const count = (kind: string): number =>
      task.journal
        .entries()
        .filter(
          (entry) =>
            entry.kind === kind &&
            (entry.direction ?? direction) === direction &&
            (entry.run ?? entry.step ?? id) === id,
        ).length;
    // On hold, a person retries what failed on the way forward as well.
    const isRetried = direction === 'rollback' || this.world.scenario.programs !== null;
    const budgets = isRetried ? 1 + count('retry_requested') : 1;
    const { onCrash, retry } = action;
    const uncharged = onCrash === 'fail' ? 0 : onCrash.restarts * budgets + count('handed_back');
    const bound = retry.attempts * budgets + uncharged;
    const key = `${task.plan.taskId} ${id} ${direction}`;
    const attempts = this.remains.ledger.starts.get(key)?.attempts.size ?? 0;
    if (attempts > bound) this.fail('I10', task, `${key}: ${attempts} attempts, not ${bound}`);
  }

  private lookAtKeys(tasks: readonly Task[]): void {
    const byKey = new Map<string, string>();
    for (const { plan } of tasks) {
      const { idempotencyKey: key, taskId } = plan;
      if (key === null) continue;
      const other = byKey.get(key);
      if (other !== undefined) this.world.violate('I6', `${key} has ${other} and ${taskId}`);
      byKey.set(key, taskId);
    }
    const { all, anew } = this.remains.orders;
    for (const { key, taskIds } of [...all, ...anew]) {
      if (taskIds.size > 1) this.world.violate('I6', `${key} was given ${[...taskIds].join()}`);
      for (const taskId of taskIds) {
        if (this.remains.server.tasks.has(taskId)) continue;
        this.world.violate('I7', `${taskId} was acknowledged and is gone`);
      }
    }
  }

  private lookAtDeed({ answer, event, taskId }: Deed): void {
    const task = this.remains.server.tasks.get(taskId);
    if (task === undefined) return;
    const { actor, kind } = event;
    const told = toldBy(event);
    const entries = task.journal
      .entries()
      .filter((entry) => entry.actor === actor && told === entry.kind);
    if (entries.length > 1) this.fail('I8', task, `${kind} of ${actor} acted twice`);
    // Another system may have completed the attempt before.
    if (answer !== 'done' || kind === 'completed') return;
    // A journal that grew too long does not tell.
    const isWhole = task.journalSeq <= JOURNAL_MAX;
    if (entries.length === 0 && isWhole) this.fail('I8', task, `${kind} of ${actor} was lost`);
    if (this.world.scenario.programs !== null && kind !== 'terminate_requested') return;
    if (kind === 'pause_requested' || kind === 'resume_requested') return;
    const { rolled_back: back, terminated } = TASK_STATUS;
    const ends = kind === 'terminate_requested' ? [terminated] : [back, terminated];
    // A task that was reset may end in any way; one that goes forward may have a failed rollback.
    const isHelp = kind === 'retry_requested' || kind === 'skip_requested';
    const isAnyEnd = wasReset(task) || (isHelp && task.scopes.length > 0);
    if (
      !(isAnyEnd && kind !== 'terminate_requested') &&
      !ends.includes(task.status as (typeof ends)[number])
    ) {
      this.fail('I8', task, `${kind} of ${actor} was not obeyed: status ${task.status}`);
    }
  }

  private fail(invariant: string, { plan }: Task, message: string): void {
    this.world.violate(invariant, `${plan.taskId}: ${message}`);
  }
}

/** The kind of entry that tells of an event. */
function toldBy(event: Deed['event']): string {
  if (event.kind === 'judged') return event.isApproved ? 'approved' : 'rejected';
  if (event.kind !== 'completed') return event.kind;
  return 'output' in event.result ? 'succeeded' : 'failed';
}

/**
 * How many effects there must be of a command in steps of all kinds, by its own run alone; null: as
 * many as there are.
 */
function effectsOfRun(task: Task, place: number): number | null {
  const { normal, rollback } = task.runs[place] as StepRuns;
  const hasUndo = stepAt(task, place)?.rollback !== null;
  const isByHand = task.journal.entries().some(({ kind, run, step }) => {
    return kind === 'skip_requested' && (run ?? step) === runIdOf(task, place);
  });
  if (!mayHaveEffect(normal)) return 0;
  if (isByHand || !hasUndo || task.outcome === 'terminated') return null;
  // A run that was passed over or caught was undone before.
  if (normal.state === 'skipped' || isCaught(task, place)) return 0;
  if (rollback?.state === 'succeeded') return 0;
  return normal.state === 'succeeded' ? 1 : null;
}

function wasReset({ journal }: Task): boolean {
  return journal.entries().some(({ kind }) => kind === 'reset_requested');
}

/** How many effects of a run there must be; null: as many as there are. */
function wantedEffects({ status }: Task, { normal, rollback }: StepRuns): number | null {
  // A step that a person passed over is done without its effect.
  if (status === TASK_STATUS.succeeded && normal.state !== 'skipped') return 1;
  // A run that was never entered has no effect, whatever became of its task.
  if (!mayHaveEffect(normal)) return 0;
  if (status !== TASK_STATUS.rolled_back) return null;
  // A skipped rollback was done by hand, and where there is none, effects stay.
  return rollback === null || rollback.state === 'skipped' ? null : 0;
}
