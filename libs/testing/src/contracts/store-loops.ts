import assert from 'node:assert/strict';
import {
  type ActionRef,
  questionOf,
  type StepPlan,
  type StepRuns,
  type Task,
  type TaskEvent,
} from '#core';
import { askedIn, createTask, type Moved, transition } from '#core/transitions';
import { SAMPLE_ACTION, SAMPLE_MOMENT } from './sample-action.js';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreFixture, StoreRule } from './store-fixture.js';

const ROUNDS = 1_000;
const STEPS = 10;

/** Rules of tasks that have about as many runs as they may have. */
export function describeLoops(rule: StoreRule): void {
  rule(`${ROUNDS} rounds of ${STEPS} steps are kept, and go back`, async (store) => {
    const play = new LoopPlay();
    play.goOnUntil(({ runs }) => runs[ROUNDS * STEPS]?.normal.state === 'running');
    const last = await followed(store, play, ({ runs }) => isUndone(runs[ROUNDS * STEPS]));
    assert.match(last.runs[0]?.normal.state ?? '', /running/);
    play.goOnUntil(({ runs }) => isUndone(runs[2]));
    const end = await followed(store, play, ({ outcome }) => outcome !== null);
    assert.equal(end.outcome, 'rolled_back');
    assert.match(end.message ?? '', /1000 rounds were not enough/);
    const { tasks } = await store.reopen();
    for (const task of [last, end]) await assertStored(tasks, task);
  });
}

function isUndone(runs: StepRuns | undefined): boolean {
  return runs?.rollback?.state === 'succeeded';
}

/** Stores a task as it is now, and then each change of it until it is there. */
async function followed(
  { tasks }: Pick<StoreFixture, 'tasks'>,
  play: LoopPlay,
  isThere: (task: Task) => boolean,
): Promise<Task> {
  const plan = { ...play.task.plan, taskId: crypto.randomUUID() };
  let stored: Task = { ...play.task, plan, revision: 1 };
  await insertAll(tasks, [stored]);
  while (!isThere(play.task)) {
    play.next();
    stored = await commitOf(tasks, stored, { ...play.task, plan, revision: stored.revision + 1 });
  }
  await assertStored(tasks, stored);
  return stored;
}

/** Plays a task of a loop by itself: once more is always wanted, and every command succeeds. */
class LoopPlay {
  private last: Moved;
  /** The action that was claimed last. */
  private ref: ActionRef = { direction: 'normal', step: 0 };

  constructor() {
    const definition = { name: 'f', description: null, input: null, timeoutMs: null };
    const flow = { definition: { ...definition, steps: loopSteps() }, version: 1 };
    const options = { taskId: crypto.randomUUID(), moment: SAMPLE_MOMENT };
    this.last = createTask(flow, { parameters: {} }, options);
  }

  get task(): Task {
    return this.last.task;
  }

  /** Decides the next event. */
  next(): void {
    const decision = transition(this.task, this.event(), { moment: SAMPLE_MOMENT });
    if (decision.kind !== 'moved') throw new Error(`nothing moved: ${decision.kind}`);
    this.last = decision;
  }

  goOnUntil(isThere: (task: Task) => boolean): void {
    while (!isThere(this.task)) this.next();
  }

  private event(): TaskEvent {
    const { effects, queued, task } = this.last;
    const [ref] = askedIn(effects);
    if (ref !== undefined) {
      const question = questionOf(task, ref)?.id ?? '';
      return { kind: 'answered', ...ref, question, answer: { values: { while: true } } };
    }
    const [action] = queued;
    if (action !== undefined) {
      this.ref = action.ref;
      return { kind: 'claimed', ...this.ref, attempt: action.attempt, owner: 'e' };
    }
    return { kind: 'succeeded', ...this.ref, token: task.token, output: null };
  }
}

/** A loop of commands in a row that never has enough. */
function loopSteps(): readonly StepPlan[] {
  const steps = Array.from({ length: STEPS }, (_, n): StepPlan => {
    const needs = n === 0 ? [] : [n - 1];
    return { name: `s${n}`, needs, normal: SAMPLE_ACTION, rollback: SAMPLE_ACTION };
  });
  const loop = { steps, while: '{% more %}', until: null, max: ROUNDS, delay: null };
  return [{ name: 'l', needs: [], loop }];
}
