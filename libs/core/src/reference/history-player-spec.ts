import { forgottenStep, tallyFault } from '../../../../test/fuzz/tally-fault.js';
import { invariant } from '../assert.js';
import { createTask } from '../transitions/create-task.js';
import { Debts } from './debts-spec.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import { ownersOf } from '../read/owners.js';
import type { History, Turn } from './random-history-spec.js';
import { isFinal, TASK_STATUS } from '../task/status.js';
import { changedSteps } from '../scopes/task-index.js';
import type { Task } from '../task/task.js';
import { isObject } from '../json/shape.js';
import { taskFault } from '../stored/task-shape.js';
import { snapshotOf, taskOfSnapshot } from '../stored/task-snapshot.js';
import { type Decision, type QueuedAction, transition } from '../transitions/transition.js';

/**
 * Plays a history against the pure core: what is sent is claimed, ends by its turn, and time moves
 * on when nothing is left.
 */
export class Player {
  now = 1_000_000;
  task: Task;
  readonly debts = new Debts();
  private readonly inbox: QueuedAction[];
  private readonly turns: Turn[];
  private readonly persons: History['persons'][number][];
  private readonly ended = new Set<string>();
  private picks = 0;

  constructor(private readonly history: History) {
    const definition = {
      name: 'f',
      description: null,
      input: null,
      timeoutMs: null,
      onFailure: history.onFailure,
      steps: history.steps,
    };
    const options = { taskId: 't', moment: this.moment() };
    const { only: place, steps } = history;
    const step = place === null ? '' : (steps[place % steps.length]?.name ?? '');
    const only = place === null ? undefined : { step, given: {} };
    const first = createTask({ definition, version: 1 }, { parameters: {}, only }, options);
    this.task = first.task;
    this.inbox = [...first.queued];
    this.turns = [...history.turns];
    this.persons = [...history.persons];
  }

  private moment() {
    return { now: this.now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  /** The document as a process has it that got it in a message. */
  private told(): Task | null {
    const text = snapshotOf(this.task, 'steps');
    if (text === null) return null;
    const task = taskOfSnapshot(text, () => this.task.plan.steps);
    invariant(task !== null && snapshotOf(task, 'steps') === text, 'a snapshot is the document');
    return task;
  }

  apply(event: TaskEvent): boolean {
    const decision = transition(this.task, event, { moment: this.moment() });
    // As a process decides that has just read the document.
    const read = { ...this.task, index: null };
    const same = transition(read, event, { moment: this.moment() });
    invariant(untallied(same) === untallied(decision), 'what is carried decides nothing');
    const told = this.told();
    const guessed = told && transition(told, event, { moment: this.moment() });
    const isAlike = guessed === null || untallied(guessed) === untallied(decision);
    invariant(isAlike, 'a document from a message decides what the stored one does');
    if (decision.kind !== 'moved') return false;
    // Plain checks: a jest expectation costs more than the transition it looks at.
    const { journal, journalSeq, revision, status, wakeAt } = decision.task;
    invariant(revision === this.task.revision + 1, 'a change is one revision');
    const mayRest = decision.task.paused !== null || status === TASK_STATUS.on_hold;
    const sleeps = isFinal(status) || (mayRest && wakeAt === null);
    invariant((wakeAt === null) === sleeps, 'a task sleeps when it is final or waits for a person');
    invariant(journal.at(-1)?.seq === journalSeq, 'the journal ends with its count');
    invariant(journal.length === journalSeq, 'the journal has no gap');
    const fault = taskFault(decision.task);
    invariant(fault === null, `a document that is made can be read: ${fault}`);
    const tally = tallyFault(decision.task) ?? forgottenStep(decision.task);
    invariant(tally === null, `what is carried is what all runs say: ${tally}`);
    const { runs } = this.task;
    const changed = decision.task.runs.flatMap((both, n) => (both === runs[n] ? [] : [n]));
    const found = changedSteps(this.task, decision.task);
    invariant(found.join() === changed.join(), 'every changed run is found');
    this.debts.follow(decision.task);
    this.task = decision.task;
    this.inbox.push(...decision.queued);
    return true;
  }

  play(): Task {
    for (let round = 0; !isFinal(this.task.status) || this.beginsAgain(round); round++) {
      if (round > 2_000) throw new Error('the task does not come to an end');
      this.person(round);
      const pick = this.history.picks[this.picks++ % this.history.picks.length] ?? 0;
      const [queued] = this.inbox.splice(pick % Math.max(1, this.inbox.length), 1);
      if (queued === undefined) this.wait();
      else this.run(queued);
    }
    return this.task;
  }

  /** A person may reset or undo a task that has ended as well. */
  private beginsAgain(round: number): boolean {
    const next = this.persons.shift();
    if (next === 'undo') return this.apply({ kind: 'undo_requested', ...actOf(round) });
    return next === 'reset' && this.reset(round);
  }

  private reset(round: number): boolean {
    const about = { ...actOf(round), to: this.someStep(round), parameters: { round } };
    return this.apply({ kind: 'reset_requested', ...about });
  }

  /** Name of one of the task's own steps. */
  private someStep(round: number): string {
    const { picks } = this.history;
    const { steps } = this.task.plan;
    return steps[((picks[0] ?? 0) + round) % steps.length]?.name ?? '';
  }

  private wait(): void {
    const { alert, paused, status } = this.task;
    const act = { actor: 'p', reason: 'r', key: null };
    if (status === TASK_STATUS.paused && paused !== null && this.task.wakeAt === null) {
      this.apply({ kind: 'resume_requested', ...act });
      return;
    }
    if (status === TASK_STATUS.on_hold && this.task.wakeAt === null) {
      this.decideHold();
      return;
    }
    if (status === TASK_STATUS.rollback_failed && alert !== null && alert.looks > 0) {
      this.apply({ kind: 'alert_told', number: alert.number, taskId: 'call' });
      return;
    }
    // The alert was heard: a person acts, before the next one.
    if (status === TASK_STATUS.rollback_failed) {
      this.apply({ kind: 'retry_requested', ...act });
      return;
    }
    const isOrphaned = ownersOf(this.task).some((owner) => this.ended.has(owner));
    // The end of a session is found soon, and not by the task's own moment.
    this.now = isOrphaned ? this.now + 1_000 : Math.max(this.now + 1, this.task.wakeAt ?? 0);
    this.tick();
  }

  /** Nothing goes on by itself: a person has it tried again, passed over, or rolled back. */
  private decideHold(): void {
    const pick = this.history.picks[this.picks++ % this.history.picks.length] ?? 0;
    const act = { actor: 'p', reason: 'r', key: null };
    const failed = this.task.runs.findIndex(({ normal }) => {
      return normal.state === 'failed' || normal.state === 'timed_out';
    });
    const step = this.task.plan.steps[failed]?.name;
    if (pick % 3 === 0 && step !== undefined) {
      const event = { kind: 'skip_requested', ...act, step, output: { by: 'hand' } } as const;
      if (this.apply(event)) return;
    }
    const retry = { kind: 'retry_requested', ...act, parameters: { pick } } as const;
    if (pick % 3 === 1 && this.task.edits.length < 9 && this.apply(retry)) return;
    this.apply({ kind: 'rollback_requested', ...act });
  }

  private tick(): void {
    this.apply({ kind: 'tick', crowded: new Map(), ended: this.ended });
  }

  private person(round: number): void {
    const act = actOf(round);
    const what = this.persons.shift() ?? 'none';
    if (what === 'rollback') this.apply({ kind: 'rollback_requested', ...act });
    if (what === 'back') {
      this.apply({ kind: 'rollback_requested', ...act, to: this.someStep(round) });
    }
    if (what === 'skip') {
      const output = round % 2 === 0 ? { round } : undefined;
      this.apply({ kind: 'skip_requested', ...act, step: this.someStep(round), output });
    }
    if (what === 'terminate') this.apply({ kind: 'terminate_requested', ...act });
    if (what === 'reset') this.reset(round);
    if (what === 'pause') this.apply({ kind: 'pause_requested', ...act });
    if (what === 'repeat') this.inbox.push(...this.inbox.slice(0, 1));
  }

  private run({ attempt, ref }: QueuedAction): void {
    const owner = `session ${this.task.token + 1}`;
    const claim = { kind: 'claimed', ...ref, attempt, owner } as const;
    const before = this.task.token;
    if (!this.apply(claim) || this.task.token === before) return;
    this.debts.begin(this.task, ref);
    const report = { ...ref, token: this.task.token };
    const turn = this.turns.shift() ?? 'done';
    if (turn === 'lost' || turn === 'late') this.ended.add(owner);
    if (turn === 'lost') return;
    if (turn === 'late') this.tick();
    if (this.task.outcome !== null) return;
    // It is known before the core decides, and what that begins may rely on it.
    this.debts.end(this.task, report, turn);
    this.apply(eventOf(turn, report));
  }
}

/** A person's action, another one each round. */
function actOf(round: number) {
  return { actor: 'p', reason: 'r', key: `k${round}` } as const;
}

/** A decision as text, whatever the order of members in the document that it was made on. */
function untallied(decision: Decision): string {
  return JSON.stringify(decision, (key, value: unknown) => {
    if (key === 'index') return null;
    if (!isObject(value)) return value;
    const names = Object.keys(value).toSorted();
    return Object.fromEntries(names.map((name) => [name, value[name]]));
  });
}

function eventOf(
  turn: Turn,
  report: { direction: 'normal' | 'rollback'; step: number; token: number },
): TaskEvent {
  const failure = { failure: 'FAILED', message: 'no' } as const;
  if (turn === 'fails') return { kind: 'failed', ...report, terminal: false, ...failure };
  if (turn === 'gives_up') return { kind: 'failed', ...report, terminal: true, ...failure };
  if (turn === 'refused') {
    return { kind: 'failed', ...report, terminal: true, refused: true, ...failure };
  }
  if (turn === 'again') return { kind: 'not_finished', ...report, afterMs: 3_000 };
  return { kind: 'succeeded', ...report, output: report.token % 2 === 0 ? null : report };
}
