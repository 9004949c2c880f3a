import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { invariant } from './assert.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from './event.js';
import { graphOf } from './graph.js';
import { directionOf, type Dispatch } from './message.js';
import { histories, type History, type Turn } from './random-history-spec.js';
import { isFinal, TASK_STATUS } from './status.js';
import type { Task } from './task.js';
import { transition } from './transition.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

/**
 * Plays a history against the pure core: what is sent is claimed, ends by its turn, and time moves
 * on when nothing is left.
 */
class Player {
  now = 1_000_000;
  task: Task;
  readonly undone: number[] = [];
  readonly done: number[] = [];
  private readonly inbox: Dispatch[];
  private readonly turns: Turn[];
  private readonly persons: History['persons'][number][];
  private picks = 0;

  constructor(private readonly history: History) {
    const definition = {
      name: 'f',
      description: null,
      input: null,
      timeoutMs: null,
      steps: history.steps,
    };
    const options = { taskId: 't', moment: this.moment() };
    const first = createTask({ definition, version: 1 }, { parameters: {} }, options);
    this.task = first.task;
    this.inbox = [...first.dispatches];
    this.turns = [...history.turns];
    this.persons = [...history.persons];
  }

  private moment() {
    return { now: this.now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  apply(event: TaskEvent): boolean {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') return false;
    // Plain checks: a jest expectation costs more than the transition it looks at.
    const { journal, journalSeq, revision, status, wakeAt } = decision.task;
    invariant(revision === this.task.revision + 1, 'a change is one revision');
    invariant((wakeAt === null) === isFinal(status), 'a task sleeps exactly when it is final');
    invariant(journal.at(-1)?.seq === journalSeq, 'the journal ends with its count');
    invariant(journal.length === journalSeq, 'the journal has no gap');
    this.task = decision.task;
    this.inbox.push(...decision.dispatches);
    return true;
  }

  play(): Task {
    for (let round = 0; !isFinal(this.task.status); round++) {
      if (round > 2_000) throw new Error('the task does not come to an end');
      this.person(round);
      const pick = this.history.picks[this.picks++ % this.history.picks.length] ?? 0;
      const [dispatch] = this.inbox.splice(pick % Math.max(1, this.inbox.length), 1);
      if (dispatch === undefined) this.wait();
      else this.run(dispatch);
    }
    return this.task;
  }

  private wait(): void {
    const { alert, status } = this.task;
    const act = { actor: 'p', reason: 'r', key: null };
    // The alert was heard: a person acts, before it is raised again.
    if (status === TASK_STATUS.rollback_failed && alert?.state === 'succeeded') {
      this.apply({ kind: 'retry_requested', ...act });
      return;
    }
    this.now = Math.max(this.now + 1, this.task.wakeAt ?? 0);
    this.apply({ kind: 'tick', crowded: new Map() });
  }

  private person(round: number): void {
    const act = { actor: 'p', reason: 'r', key: `k${round}` };
    const what = this.persons.shift() ?? 'none';
    if (what === 'rollback') this.apply({ kind: 'rollback_requested', ...act });
    if (what === 'terminate') this.apply({ kind: 'terminate_requested', ...act });
    if (what === 'repeat') this.inbox.push(...this.inbox.slice(0, 1));
  }

  private run({ message }: Dispatch): void {
    const ref = { direction: directionOf(message.type), step: message.cursor };
    const claim = {
      kind: 'claimed',
      ...ref,
      attempt: message.attempt,
      owner: 'e',
      leaseMs: 10_000,
    } as const;
    const before = this.task.token;
    if (!this.apply(claim) || this.task.token === before) return;
    const report = { ...ref, token: this.task.token };
    const turn = this.turns.shift() ?? 'done';
    if (turn === 'lost') return;
    if (turn === 'late') {
      this.now += 20_000;
      this.apply({ kind: 'tick', crowded: new Map() });
    }
    const applied = this.apply(eventOf(turn, report));
    if (!applied) return;
    if (turn !== 'done' && turn !== 'late') return;
    if (ref.direction === 'rollback') this.undone.push(ref.step);
    if (ref.direction === 'normal') this.done.push(ref.step);
  }
}

function eventOf(
  turn: Turn,
  report: { direction: 'normal' | 'rollback' | 'alert'; step: number; token: number },
): TaskEvent {
  const failure = { failure: 'FAILED', message: 'no' } as const;
  if (turn === 'fails') return { kind: 'failed', ...report, terminal: false, ...failure };
  if (turn === 'gives_up') return { kind: 'failed', ...report, terminal: true, ...failure };
  if (turn === 'again') return { kind: 'not_finished', ...report, afterMs: 3_000 };
  return { kind: 'succeeded', ...report, output: null };
}

describe('any history of any flow', () => {
  it('comes to an end that tells the truth, by legal moves only', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const player = new Player(history);
        const task = player.play();
        if (task.status === TASK_STATUS.succeeded) {
          expect(player.done.length).toBe(history.steps.length);
          expect(player.undone).toEqual([]);
        }
        if (task.status === TASK_STATUS.rolled_back) expectAllUndone(task, player.undone);
      }),
      fuzzBudget(3_000),
    );
  });
});

function expectAllUndone(task: Task, undone: readonly number[]): void {
  const { ancestors } = graphOf(task.plan.steps);
  task.runs.forEach(({ normal, rollback }, step) => {
    const owed = rollback !== null && normal.startedAt !== null;
    expect(undone.filter((index) => index === step).length).toBe(owed ? 1 : 0);
  });
  undone.forEach((step, position) => {
    // Nothing that a step needs was undone before the step itself.
    const earlier = new Set(undone.slice(0, position));
    expect((ancestors[step] ?? []).some((ancestor) => earlier.has(ancestor))).toBe(false);
  });
}
