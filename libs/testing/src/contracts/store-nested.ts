import { createTask, DEFAULT_TIMING, NO_RETRY, placeOf, type StepPlan, type Task } from '#core';
import { type TaskEvent, transition } from '#core';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { SAMPLE_TIME } from './sample-task.js';

const ACTION = {
  module: 'm',
  command: 'c',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
} as const;
const MOMENT = { now: SAMPLE_TIME, chance: 0, timing: DEFAULT_TIMING };
const FAILURE = { terminal: true, failure: 'FAILED', message: 'nö \u0000' } as const;

/** Commands in a row. */
function chain(count: number): readonly StepPlan[] {
  return Array.from({ length: count }, (_, n) => {
    return { name: `s${n}`, needs: n === 0 ? [] : [n - 1], normal: ACTION, rollback: ACTION };
  });
}

/** A group that is tried twice, of a command, a group of so many, and a command. */
function nested(count: number): readonly StepPlan[] {
  const inner = { name: 'i', needs: [0], group: chain(count), retry: NO_RETRY, timeoutMs: null };
  const last = { name: 'z', needs: [1], normal: ACTION, rollback: null };
  const group = [...chain(1), inner, last];
  const retry = { ...NO_RETRY, attempts: 2 };
  return [{ name: 'g', needs: [], group, retry, timeoutMs: 90_000 }, ...chain(2)];
}

/** What runs come to in turn: `-` goes back, `!` fails. */
const COURSE = ['g#1/s0', 'g#1/i#1/s0', '!g#1/i#1/s1', '-g#1/i#1/s1', '-g#1/i#1/s0', '-g#1/s0'];
const AGAIN = ['g#2/s0', 'g#2/i#1/s0', 'g#2/i#1/s1'];

/** Rules of tasks whose steps hold steps: scopes and runs are added while the task goes on. */
export function describeNested(rule: StoreRule): void {
  for (const count of [2, 14, 40]) {
    rule(`scopes of ${count} steps and their runs are kept as they grow`, async (store) => {
      let tasks = store.tasks;
      let task = newTask(nested(count));
      await insertAll(tasks, [task]);
      for (const [n, word] of [...COURSE, ...AGAIN].entries()) {
        for (const event of eventsOf(task, word)) {
          const decision = transition(task, event(task), { moment: MOMENT });
          if (decision.kind !== 'moved') throw new Error(`${word}: ${decision.kind}`);
          task = await commitOf(tasks, task, decision.task);
        }
        await assertStored(tasks, task);
        if (n % 4 !== 1) continue;
        tasks = (await store.reopen()).tasks;
        await assertStored(tasks, task);
        // Each process goes on with what it has read.
        task = (await tasks.get(task.plan.taskId)) ?? task;
      }
      await assertStored((await store.reopen()).tasks, task);
    });
  }
}

function newTask(steps: readonly StepPlan[]): Task {
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: crypto.randomUUID(), moment: MOMENT };
  return createTask({ definition, version: 1 }, { parameters: {} }, options).task;
}

function eventsOf(start: Task, word: string): readonly ((task: Task) => TaskEvent)[] {
  const direction = word.startsWith('-') ? 'rollback' : 'normal';
  const step = placeOf(start, word.replace(/[-!]/, ''));
  if (step === null) throw new Error(`there is no run ${word}`);
  const ref = { direction, step } as const;
  const output = { of: word, text: 'x'.repeat(step % 2 === 0 ? 5_000 : 1) };
  return [
    () => ({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' }),
    ({ token }) => {
      return word.startsWith('!')
        ? { kind: 'failed', ...ref, token, ...FAILURE }
        : { kind: 'succeeded', ...ref, token, output };
    },
  ];
}
