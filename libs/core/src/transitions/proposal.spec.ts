import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask, proposeTask } from './create-task.js';
import { type Claimed, DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import type { Task } from '../task/task.js';
import { conclude, type Proposal, propose, transition } from './transition.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const action = (command: string): Action => ({
  module: 'm',
  command,
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
});
const step = (name: string, needs: number[]): StepPlan => ({
  name,
  needs,
  normal: action(name),
  rollback: action(`undo_${name}`),
});
const STEPS = [step('a', []), step('b', [0]), step('c', [0])];
const FLOW = {
  definition: { name: 'f', description: null, input: null, timeoutMs: null, steps: STEPS },
  version: 1,
};

const claim = (at: number, direction: 'normal' | 'rollback' = 'normal', attempt = 1): Claimed => ({
  kind: 'claimed',
  direction,
  step: at,
  attempt,
  owner: 'me',
});
const succeeded = (at: number, token: number): TaskEvent => ({
  kind: 'succeeded',
  direction: 'normal',
  step: at,
  token,
  output: { from: at },
});

/** A task whose first step runs. */
function runningTask(): Task {
  const created = proposeTask(FLOW, { parameters: {} }, { taskId: 't', moment });
  return conclude(created, [claim(0)]).task;
}

function proposed(task: Task, event: TaskEvent): Proposal {
  const result = propose(task, event, { moment });
  if (result.kind !== 'proposed') throw new Error(result.kind);
  return result;
}

function after(task: Task, event: TaskEvent): Task {
  const decision = transition(task, event, { moment });
  if (decision.kind !== 'moved') throw new Error(decision.kind);
  return decision.task;
}

const idsOf = (queued: Proposal['queued']): readonly string[] =>
  queued.map(({ action: { command }, attempt }) => `${command} ${attempt}`);

describe('a proposal', () => {
  it('becomes one document of its event and all claims on it', () => {
    const task = runningTask();
    const moved = conclude(proposed(task, succeeded(0, 1)), [claim(1), claim(2)]);
    const oneByOne = [succeeded(0, 1), claim(1), claim(2)].reduce(after, task);
    expect(moved.task).toEqual({ ...oneByOne, revision: task.revision + 1 });
    expect(moved.entries).toEqual(oneByOne.journal.entries().slice(task.journal.length));
    expect(moved.queued).toEqual([]);
  });

  it('becomes what the event makes alone where nothing is claimed', () => {
    const task = runningTask();
    const options = { moment };
    const alone = conclude(proposed(task, succeeded(0, 1)));
    expect(alone).toEqual(transition(task, succeeded(0, 1), options));
    expect(idsOf(alone.queued)).toEqual(['b 1', 'c 1']);
    const created = { taskId: 't', moment };
    const request = { parameters: {} };
    expect(conclude(proposeTask(FLOW, request, created))).toEqual(
      createTask(FLOW, request, created),
    );
  });

  it('leaves what was not claimed to be sent', () => {
    const proposal = proposed(runningTask(), succeeded(0, 1));
    expect(idsOf(proposal.queued)).toEqual(['b 1', 'c 1']);
    expect(idsOf(conclude(proposal, [claim(2)]).queued)).toEqual(['b 1']);
  });

  it('leaves an action alone whose claim comes to nothing', () => {
    const proposal = proposed(runningTask(), succeeded(0, 1));
    const moved = conclude(proposal, [claim(1, 'normal', 2), claim(1, 'rollback')]);
    expect(moved).toEqual(transition(runningTask(), succeeded(0, 1), { moment }));
  });

  it('never touches the task that it is about', () => {
    const task = runningTask();
    const before = structuredClone({ ...task, index: null });
    conclude(proposed(task, succeeded(0, 1)), [claim(1)]);
    expect({ ...task, index: null }).toEqual(before);
  });

  it('is concluded once', () => {
    const proposal = proposed(runningTask(), succeeded(0, 1));
    conclude(proposal);
    expect(() => conclude(proposal)).toThrow('a change makes one document');
  });
});
