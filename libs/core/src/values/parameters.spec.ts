import { describe, expect, it } from '@jest/globals';
import { answerPlainly } from '#testing';
import { type Action, NO_RETRY, RESTARTS_FORWARD } from '../flow/action.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { JsonObject } from '../json/json.js';
import { taskOutput } from './outputs.js';
import { mergedParameters, parametersFor, parameterWriters } from './parameters.js';
import type { Task } from '../task/task.js';
import { transition } from '../transitions/transition.js';
import { questionOf } from '../kinds/question-of.js';
import { askedIn } from '../transitions/effect.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };

function action(parameters: JsonObject | null): Action {
  const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY };
  return { module: 'm', command: 'go', ...plain, onCrash: RESTARTS_FORWARD, parameters };
}

/** Two steps in a row, the first of which has given back an output. */
function taskAfter(output: JsonObject | null): Task {
  const steps = [
    { name: 'a', needs: [], normal: action({ role: 'primary', from: 'forward' }) },
    { name: 'b', needs: [0], normal: action(null) },
  ].map((step) => ({ ...step, rollback: action({ from: 'back' }) }));
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const request = { parameters: { cpu: 1, role: 'request', host: 'request' } };
  const { task } = createTask({ definition, version: 1 }, request, { taskId: 't', moment });
  const step = { direction: 'normal', step: 0 } as const;
  const claimed = after(task, { kind: 'claimed', ...step, attempt: 1, owner: 'e' });
  return after(claimed, { kind: 'succeeded', ...step, token: 1, output });
}

function after(task: Task, event: TaskEvent): Task {
  const decision = transition(task, event, { moment });
  if (decision.kind !== 'moved') throw new Error(decision.kind);
  return decision.task;
}

const NEVER = { parameters: { no: false } };

/** A choice of which no case is taken, and a command after it. */
function taskAfterChoice(): Task {
  const choice = [{ name: 'never', when: '{% no %}', steps: [] }];
  const steps = [
    { name: 'c', needs: [], choice, otherwise: null },
    { name: 'b', needs: [0], normal: action(null), rollback: null },
  ];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const created = createTask({ definition, version: 1 }, NEVER, { taskId: 't', moment });
  const [ref] = askedIn(created.effects);
  const question = ref === undefined ? null : questionOf(created.task, ref);
  if (ref === undefined || question === null) throw new Error('nothing is asked');
  const answer = answerPlainly(question.members, question.scene);
  return after(created.task, { kind: 'answered', ...ref, question: question.id, answer });
}

describe('the parameters of an action', () => {
  const task = taskAfter({ host: 'h1', from: 'output' });

  it('are the request, then what the steps it needs gave back, then its own constants', () => {
    const first = { cpu: 1, role: 'primary', host: 'request', from: 'forward' };
    expect(parametersFor(task, { direction: 'normal', step: 0 })).toEqual(first);
    const second = { cpu: 1, role: 'request', host: 'h1', from: 'output' };
    expect(parametersFor(task, { direction: 'normal', step: 1 })).toEqual(second);
  });

  it('say of a choice that none of its cases was taken, also of a task that was read anew', () => {
    const task = taskAfterChoice();
    const ref = { direction: 'normal', step: 1 } as const;
    const given = { no: false, c: { case: null } };
    expect(parametersFor(task, ref)).toEqual(given);
    expect(parametersFor({ ...task, runs: [...task.runs] }, ref)).toEqual(given);
  });

  it('are on the way back what its step was given, what that gave back, and its own constants', () => {
    const ref = { direction: 'rollback', step: 0 } as const;
    const given = { cpu: 1, role: 'primary', host: 'h1', from: 'back' };
    expect(parametersFor(task, ref)).toEqual(given);
    expect(parameterWriters(task, ref)).toEqual({
      cpu: { kind: 'request' },
      role: { kind: 'flow' },
      host: { kind: 'step', step: 'a' },
      from: { kind: 'flow' },
    });
  });
});

describe('the parameters of a task', () => {
  it.each([{ left: 1 }, null])('are not what a task gives that ends early with %j', (output) => {
    const step = { name: 'end', needs: [], succeed: { output } };
    const plan = { name: 'f', description: null, input: null, timeoutMs: null, steps: [step] };
    const request = { parameters: { cpu: 1 } };
    const { task } = createTask(
      { definition: { ...plan, output: { up: true } }, version: 1 },
      request,
      { taskId: 't', moment },
    );
    expect(task.outcome).toBe('succeeded');
    // The output of the flow is for a task that did all its steps.
    expect(taskOutput(task)).toEqual(output);
    expect(mergedParameters(task)).toEqual({ cpu: 1 });
  });

  it('are the request and what its steps gave back so far', () => {
    const task = taskAfter({ host: 'h1' });
    expect(mergedParameters(task)).toEqual({ cpu: 1, role: 'request', host: 'h1' });
  });

  it('are the request itself, until a step has given something back', () => {
    const task = taskAfter(null);
    expect(mergedParameters(task)).toBe(task.plan.parameters);
  });
});
