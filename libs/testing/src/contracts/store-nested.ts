import assert from 'node:assert/strict';
import {
  type JsonObject,
  NO_RETRY,
  questionOf,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { placeOf } from '#core/scopes';
import { createTask, transition } from '#core/transitions';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';
import { SAMPLE_ACTION, SAMPLE_MOMENT } from './sample-action.js';

const FAILURE = { terminal: true, failure: 'FAILED', message: 'nö \u0000' } as const;

/** Commands in a row. */
function chain(count: number): readonly StepPlan[] {
  return Array.from({ length: count }, (_, n) => {
    return {
      name: `s${n}`,
      needs: n === 0 ? [] : [n - 1],
      normal: SAMPLE_ACTION,
      rollback: SAMPLE_ACTION,
    };
  });
}

/** A group that is tried twice, of a command, a group of so many, and a command. */
function nested(count: number): readonly StepPlan[] {
  const inner = { name: 'i', needs: [0], group: chain(count), retry: NO_RETRY, timeoutMs: null };
  const last = { name: 'z', needs: [1], normal: SAMPLE_ACTION, rollback: null };
  const group = [...chain(1), inner, last];
  const retry = { ...NO_RETRY, attempts: 2 };
  return [{ name: 'g', needs: [], group, retry, timeoutMs: 90_000 }, ...chain(2)];
}

/** The ends of runs in order: `-` is a rollback, `!` a failure. */
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
          const decision = transition(task, event(task), { moment: SAMPLE_MOMENT });
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

/** Steps that come to be while a task runs: their values are text that a store must not change. */
const MADE: JsonObject = {
  ...SAMPLE_ACTION,
  retry: { ...NO_RETRY },
  parameters: { $a: 'ö \u0000 \ud800', 'x.y': '$y', 'a~b': [null, 1.5] },
};

function madeSteps(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, n) => {
    return { name: `s${n}`, needs: n === 0 ? [] : [n - 1], normal: MADE, rollback: MADE };
  });
}

/** Rules of tasks with steps that are data, which only their scope has. */
export function describeMade(rule: StoreRule): void {
  rule('steps that came to be while a task ran are there for whoever reads it', async (store) => {
    const made = { name: 'd', needs: [], dynamic: { steps: '{% made %}' } };
    let task = newTask([made, ...chain(1)]);
    let tasks = store.tasks;
    await insertAll(tasks, [task]);
    const apply = async (event: TaskEvent): Promise<void> => {
      const decision = transition(task, event, { moment: SAMPLE_MOMENT });
      if (decision.kind !== 'moved') throw new Error(`${event.kind}: ${decision.kind}`);
      await commitOf(tasks, task, decision.task);
      await assertStored(tasks, decision.task);
      // Each process goes on with what it has read.
      tasks = (await store.reopen()).tasks;
      await assertStored(tasks, decision.task);
      task = (await tasks.get(task.plan.taskId)) ?? decision.task;
    };
    const asked = { direction: 'normal', step: 0 } as const;
    const question = questionOf(task, asked)?.id ?? '';
    const answer = { values: { steps: madeSteps(3) } };
    await apply({ kind: 'answered', ...asked, question, answer });
    for (const word of ['d#1/s0', '!d#1/s1', '-d#1/s1', '-d#1/s0']) {
      for (const event of eventsOf(task, word)) await apply(event(task));
    }
    assert.equal(task.outcome, 'rolled_back');
  });
}

function newTask(steps: readonly StepPlan[]): Task {
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: crypto.randomUUID(), moment: SAMPLE_MOMENT };
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
