import assert from 'node:assert/strict';
import {
  contentSize,
  DEFAULT_LIMITS,
  DEFAULT_TIMING,
  FAILURE_CODES,
  Journal,
  JOURNAL_MAX,
  type Task,
  type TaskEvent,
} from '#core';
import { createTask, transition } from '#core/transitions';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';
import { assertStored, commitOf, insertAll } from './store-expectations.js';
import type { StoreRule } from './store-fixture.js';

const moment = { now: SAMPLE_TIME, chance: 0, timing: DEFAULT_TIMING };

/** Three bytes a character, in the longest message of a journal. */
const MESSAGE = '€'.repeat(1_000);

/** Rules of tasks that hold as much as the engine lets them. */
export function describeFullTask(rule: StoreRule): void {
  rule('a task that is filled to its last byte is stored, its journal full too', async (store) => {
    const claimed = await claimedTask(store.tasks);
    const next = moved(claimed, succeeded(claimed, room(claimed)));
    assert.equal(contentSize(next), DEFAULT_LIMITS.contentBytes);
    await commitOf(store.tasks, claimed, next);
    const { tasks } = await store.reopen();
    await assertStored(tasks, next);
  });

  rule('an output of one byte more is stored as the failure that it is', async ({ tasks }) => {
    const claimed = await claimedTask(tasks);
    const next = moved(claimed, succeeded(claimed, room(claimed) + 1));
    assert.equal(next.runs[0]?.normal.code, FAILURE_CODES.OUTPUT_TOO_LARGE);
    await commitOf(tasks, claimed, next);
    await assertStored(tasks, next);
  });
}

/** A stored task with a full journal whose first step is running. */
async function claimedTask(store: Parameters<typeof insertAll>[0]): Promise<Task> {
  const { plan } = sampleTask();
  const definition = { name: plan.flow, description: null, input: null, timeoutMs: null };
  const flow = { definition: { ...definition, steps: plan.steps }, version: 1 };
  const parameters = { text: '€'.repeat(80_000) };
  const { taskId } = plan;
  const created = createTask(flow, { parameters }, { taskId, moment }).task;
  const journal = Array.from({ length: JOURNAL_MAX }, (_, n) => {
    return { seq: n + 1, at: SAMPLE_TIME, kind: 'failed', message: MESSAGE } as const;
  });
  const full = { ...created, journal: Journal.of(journal), journalSeq: JOURNAL_MAX };
  await insertAll(store, [full]);
  const claim = { attempt: 1, owner: 'executor' };
  const next = moved(full, { kind: 'claimed', direction: 'normal', step: 0, ...claim });
  return commitOf(store, full, next);
}

/** Characters that an output `{"text":"..."}` may have. */
function room(task: Task): number {
  return DEFAULT_LIMITS.contentBytes - contentSize(task) - '{"text":""}'.length;
}

function succeeded(task: Task, characters: number): TaskEvent {
  const output = { text: 'x'.repeat(characters) };
  return { kind: 'succeeded', direction: 'normal', step: 0, token: task.token, output };
}

function moved(task: Task, event: TaskEvent): Task {
  const decision = transition(task, event, { moment });
  assert.ok(decision.kind === 'moved');
  return decision.task;
}
