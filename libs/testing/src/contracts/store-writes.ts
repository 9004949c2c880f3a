import assert from 'node:assert/strict';
import { questionOf, type StepPlan, type Task, type TaskEvent } from '#core';
import { askedIn, createTask, type Moved, transition } from '#core/transitions';
import type { TaskStore } from '#ports';
import { testRunner } from './runner.js';
import { SAMPLE_ACTION, SAMPLE_MOMENT } from './sample-action.js';
import { assertSameTask, commitOf, insertAll } from './store-expectations.js';

/** The parts of a stored task that have a mark which somebody put there by hand. */
export interface MarkedParts {
  /** Scopes, by their numbers, in their order. */
  readonly scopes: readonly number[];
  /** How many parts of its runs; a part is as many runs as a store writes together. */
  readonly runs: number;
}

/** A store whose parts somebody marks by hand: whatever is written again has no mark. */
export interface MarkableStore {
  readonly tasks: TaskStore;
  /** Marks every part of a task that can be written by itself; opens the store again if it must. */
  mark(taskId: string): Promise<MarkableStore>;
  /** The parts that have their mark; opens the store again if it must. */
  marked(taskId: string): Promise<readonly [MarkedParts, MarkableStore]>;
  dispose(): Promise<void>;
}

const ROUNDS = 60;
/** A round touches its run, that of the loop, and one that begins. */
const PARTS_OF_ROUND = 4;

/** The rule that a commit writes what it changed, and not all that the task has. */
export function writesContract(openStore: () => Promise<MarkableStore>): void {
  const { describe, it } = testRunner();
  describe('the commit of a task with many scopes', () => {
    it('writes the scopes and runs that changed, and no others', async () => {
      let store = await openStore();
      try {
        store = await writesLittle(store);
      } finally {
        await store.dispose();
      }
    }, 60_000);
  });
}

async function writesLittle(first: MarkableStore): Promise<MarkableStore> {
  const created = newLoop();
  const { taskId } = created.task.plan;
  await insertAll(first.tasks, [created.task]);
  const before = await play(first.tasks, created, ROUNDS);
  const [all, store] = await (await first.mark(taskId)).marked(taskId);
  assert.deepEqual(all.scopes, Array.from(before.task.scopes.keys()));
  // Each process goes on with what it has read.
  const read = await store.tasks.get(taskId);
  assertSameTask(read, before.task);
  const after = await play(store.tasks, { ...before, task: read as Task }, ROUNDS + 1);
  const [left, last] = await store.marked(taskId);
  const isSame = (n: number): boolean => after.task.scopes[n] === (read as Task).scopes[n];
  assert.deepEqual(left.scopes, all.scopes.filter(isSame));
  assert.ok(left.scopes.length >= ROUNDS - 2, `${left.scopes.length} scopes are as they were`);
  assert.ok(left.runs >= all.runs - PARTS_OF_ROUND, `of ${all.runs} parts ${left.runs} are`);
  assertSameTask(await last.tasks.get(taskId), after.task);
  return last;
}

/** A loop that goes on for as long as it is told to, and steps around it. */
function newLoop(): Moved {
  const step = { normal: SAMPLE_ACTION, rollback: SAMPLE_ACTION };
  const body: readonly StepPlan[] = [{ name: 'x', needs: [], ...step }];
  const loop = { steps: body, while: '{% x %}', until: null, max: 1_000, delay: null };
  const steps: StepPlan[] = [{ name: 's', needs: [], loop }];
  for (let n = 1; n <= 20; n += 1) steps.push({ name: `s${n}`, needs: [n - 1], ...step });
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: crypto.randomUUID(), moment: SAMPLE_MOMENT };
  return createTask({ definition, version: 1 }, { parameters: {} }, options);
}

/** Plays the loop until so many rounds were begun, each change a commit. */
async function play(tasks: TaskStore, start: Moved, rounds: number): Promise<Moved> {
  let last = start;
  while (last.task.scopes.length < rounds || last.queued.length > 0) {
    const decision = transition(last.task, nextEvent(last), { moment: SAMPLE_MOMENT });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    await commitOf(tasks, last.task, decision.task);
    last = decision;
  }
  return last;
}

/** The next event of the loop: its step is claimed and done, and the loop goes on. */
function nextEvent({ effects, queued, task }: Moved): TaskEvent {
  const [question] = askedIn(effects);
  if (question !== undefined) {
    const { id = '' } = questionOf(task, question) ?? {};
    return { kind: 'answered', ...question, question: id, answer: { values: { while: true } } };
  }
  const [action] = queued;
  if (action !== undefined) {
    return { kind: 'claimed', ...action.ref, attempt: action.attempt, owner: 'e' };
  }
  const step = task.runs.length - 1;
  return { kind: 'succeeded', direction: 'normal', step, token: task.token, output: { x: step } };
}
