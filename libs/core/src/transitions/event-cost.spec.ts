import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { earlyEnd } from '../scopes/early-step.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { parametersFor } from '../values/parameters.js';
import { pivotsOfTask } from '../scopes/pivot.js';
import { scopeIndexOf } from '../scopes/scope-index.js';
import type { Task } from '../task/task.js';
import { type Decision, type Moved, transition } from './transition.js';
import { questionOf } from '../kinds/question-of.js';
import { Lookups } from '../task/task-index.js';
import { askedIn } from './effect.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const ACTION: Action = {
  module: 'm',
  command: 'go',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
};
const BODY: StepPlan = { name: 'x', needs: [], normal: ACTION, rollback: ACTION };

function moved(decision: Decision): Moved {
  if (decision.kind !== 'moved') throw new Error(JSON.stringify(decision));
  return decision;
}

/** Steps that an author marks, in the round of a loop whose last step is a command. */
const BODIES: Readonly<Record<string, readonly StepPlan[]>> = {
  'a command': [BODY],
  'a point of no return': [{ ...BODY, pivot: true }],
  'a step that may end its task early': [
    { name: 'e', needs: [], if: '{% x %}', succeed: { output: null } },
    { ...BODY, needs: [0] },
  ],
};

/** A loop that goes on for as long as it is told to; what it gives ends the task. */
function newLoop(body: readonly StepPlan[]): Moved {
  const loop = { steps: body, while: '{% x %}', until: null, max: 1_000, delay: null };
  const output = { name: '$output', needs: [0], succeed: { output: '{% x %}' } };
  const steps: StepPlan[] = [{ name: 's', needs: [], loop }, output];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  return createTask({ definition, version: 1 }, { parameters: {} }, { taskId: 't', moment });
}

/** The next event of the loop. */
function nextEvent({ effects, queued, task }: Omit<Moved, 'kind' | 'entries'>): TaskEvent {
  const [ref] = askedIn(effects);
  if (ref !== undefined) {
    const question = questionOf(task, ref)?.id ?? '';
    const values = { while: true, if: false };
    return { kind: 'answered', ...ref, question, answer: { values } };
  }
  const [action] = queued;
  if (action !== undefined) {
    return { kind: 'claimed', ...action.ref, attempt: action.attempt, owner: 'me' };
  }
  const step = task.runs.length - 1;
  return { kind: 'succeeded', direction: 'normal', step, token: task.token, output: { x: step } };
}

/** The loop in this round, its command claimed. */
function claimedIn(round: number, body: readonly StepPlan[]): Task {
  let last = newLoop(body);
  for (;;) {
    last = moved(transition(last.task, nextEvent(last), { moment }));
    const { runs, scopes } = last.task;
    if (scopes.length === round && runs.at(-1)?.normal.state === 'running') return last.task;
  }
}

/** The same document; of its scopes and runs is counted how many members are read. */
function watched(task: Task): { readonly task: Task; readonly reads: { count: number } } {
  const reads = { count: 0 };
  const watch = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, member, receiver): unknown {
        reads.count += 1;
        return Reflect.get(target, member, receiver);
      },
    });
  const runs = task.runs.map(watch);
  const scopes = task.scopes.map(watch);
  const index = task.index && { ...task.index, runs, lookups: new Lookups(runs, scopes) };
  const copy = { ...task, runs, scopes, index };
  // Indexes that a document brings along are there already.
  scopeIndexOf(copy);
  earlyEnd(copy);
  pivotsOfTask(copy);
  parametersFor(copy, { direction: 'normal', step: runs.length - 1 });
  reads.count = 0;
  return { task: copy, reads };
}

/** How much is read for one round: its command ends, the next round begins, and so does its own. */
function readsOfRound(round: number, body: readonly StepPlan[]): number {
  const { reads, task } = watched(claimedIn(round, body));
  const before = task.runs.length - 1;
  let last: Omit<Moved, 'kind' | 'entries'> = { effects: [], queued: [], task };
  do {
    last = moved(transition(last.task, nextEvent(last), { moment }));
  } while (last.task.runs.at(-1)?.normal.state !== 'running');
  const place = before + body.length;
  expect(last.task.runs).toHaveLength(place + 1);
  const ref = { direction: 'normal', step: place } as const;
  expect(parametersFor(last.task, ref)).toEqual({ x: before });
  return reads.count;
}

/** How much is read when a command of this round fails, behind a point of no return. */
function readsOfFailure(round: number): number {
  const { reads, task } = watched(claimedIn(round, BODIES['a point of no return'] ?? []));
  const ref = { direction: 'normal', step: task.runs.length - 1, token: task.token } as const;
  const failed = {
    kind: 'failed',
    ...ref,
    terminal: true,
    failure: 'FAILED',
    message: '',
  } as const;
  const { task: next } = moved(transition(task, failed, { moment }));
  expect(next.hold?.why).toBe('step_failed');
  return reads.count;
}

// Where a step stands is looked for by halves, and eight times as many take three more.
const HARDLY_MORE = 1.5;

describe('an event', () => {
  it.each(Object.entries(BODIES))(
    'reads hardly more of a loop of 800 rounds of %s than of one of 100',
    (_, body) => {
      const [few, many] = [readsOfRound(100, body), readsOfRound(800, body)];
      expect(few).toBeGreaterThan(0);
      expect(many).toBeLessThan(HARDLY_MORE * few);
    },
  );

  it('reads hardly more where it fails behind 800 points of no return than behind 100', () => {
    const [few, many] = [readsOfFailure(100), readsOfFailure(800)];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThan(HARDLY_MORE * few);
  });
});
