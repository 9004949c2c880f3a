import { isFinal, type StepPlan, type Task } from '#core';
import { dispatchFor } from '#core/scopes';
import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';
import { lifeOf } from '../session-server.js';

/** Bugs of writing: what is stored, answered and believed. */
export const STORE_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-claim',
    bug: 'a lost race for a claim counts as won',
    store: (inner, { process }) =>
      overriding(inner, {
        commit: async (previous, next) => {
          const result = await inner.commit(previous, next);
          return claims(previous, next, process.owner) ? 'committed' : result;
        },
      }),
  },
  {
    name: 'stale-overwrite',
    bug: 'the store writes whatever revision it has',
    server: 'ignores_revision',
  },
  {
    name: 'check-then-write',
    bug: 'the revision is checked when a write is sent, not when it is stored',
    server: 'checks_early',
  },
  {
    name: 'own-writes-unseen',
    bug: 'a process may read a document that is older than its own write',
    readsAnything: true,
  },
  {
    name: 'message-believed',
    bug: 'only the revision of a snapshot is compared with the stored document',
    server: 'believes_messages',
  },
  { name: 'key-ignored', bug: 'the store ignores idempotency keys', server: 'ignores_key' },
  {
    name: 'writes-lost',
    bug: 'the store sometimes loses an acknowledged write',
    store: (inner, { process, server }) =>
      overriding(inner, {
        commit: async (previous, next) => {
          const result = await inner.commit(previous, next);
          if (process.world.random.next() < 0.02) server.revert(next.plan.taskId);
          return result;
        },
      }),
  },
  {
    name: 'insert-lost',
    bug: 'the store sometimes loses an acknowledged task',
    store: (inner, { process, server }) =>
      overriding(inner, {
        insert: async (task) => {
          const result = await inner.insert(task);
          if (process.world.random.next() < 0.02) server.tasks.delete(task.plan.taskId);
          return result;
        },
      }),
  },
  {
    name: 'failover-forgets',
    bug: 'one node acknowledges a write alone, and the write is lost when it fails',
    server: 'forgets_at_failover',
  },
  {
    name: 'no-answer-is-yes',
    bug: 'a write without an answer counts as stored',
    store: (inner) =>
      overriding(inner, {
        commit: (previous, next) => inner.commit(previous, next).catch(() => 'committed' as const),
      }),
  },
  {
    name: 'acknowledged-unstored',
    bug: 'a request is acknowledged although its insert had no answer',
    store: (inner) =>
      overriding(inner, {
        insert: (task) => inner.insert(task).catch(() => ({ kind: 'inserted' as const })),
      }),
  },
  {
    name: 'publish-before-commit',
    bug: 'messages leave before their document is stored',
    edit: (previous, next, { publish }) => {
      next.runs.forEach(({ normal }, step) => {
        if (normal.state !== 'queued' || previous.runs[step]?.normal === normal) return;
        const ref = { direction: 'normal', step } as const;
        publish(dispatchFor(next, ref, normal));
      });
    },
  },
  {
    name: 'flow-edited-in-place',
    bug: 'a running task gets the steps of another task’s flow version',
    store: (inner) => {
      const newest = new Map<string, readonly StepPlan[]>();
      return overriding(inner, {
        insert: (task) => {
          newest.set(task.plan.flow, task.plan.steps);
          return inner.insert(task);
        },
        get: async (taskId) => {
          const task = await inner.get(taskId);
          const steps = newest.get(task?.plan.flow ?? '');
          if (task === null || steps?.length !== task.plan.steps.length) return task;
          return { ...task, plan: { ...task.plan, steps } };
        },
      });
    },
  },
  {
    name: 'no-token-check',
    bug: 'a former runner of a step may end it while another one runs it',
    store: (inner, { process }) => {
      const held = new Map<string, number>();
      return overriding(inner, {
        commit: (previous, next) => {
          next.runs.forEach(({ normal }, step) => {
            if (normal.lease === null || lifeOf(normal.lease.owner) !== process.owner) return;
            held.set(`${next.plan.taskId} ${step}`, normal.lease.token);
          });
          return inner.commit(previous, next);
        },
        get: async (taskId) => withOwnTokens(await inner.get(taskId), held),
      });
    },
  },
];

function claims(previous: Task, next: Task, owner: string): boolean {
  return next.runs.some(
    ({ normal }, step) =>
      lifeOf(normal.lease?.owner) === owner &&
      previous.runs[step]?.normal.lease?.token !== normal.lease?.token,
  );
}

function withOwnTokens(task: Task | null, held: ReadonlyMap<string, number>): Task | null {
  if (task === null || isFinal(task.status)) return task;
  const runs = task.runs.map((both, step) => {
    const token = held.get(`${task.plan.taskId} ${step}`);
    const { lease } = both.normal;
    if (lease === null || token === undefined) return both;
    return { ...both, normal: { ...both.normal, lease: { ...lease, token } } };
  });
  return { ...task, runs };
}
