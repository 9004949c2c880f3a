import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import {
  DEFAULT_TIMING,
  type JsonObject,
  NO_RETRY,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { createTask, transition } from '#core/transitions';
import { action, chain, flow } from '#testing';
import { receiptJson, tagOf, taskJson } from './task.presenter.js';
import { anyCharacter } from '../../../../test/fuzz/hostile-values.js';

// Hundreds of cases, also on a busy machine.
jest.setTimeout(240_000);

const moment = { now: 1_700_000_000_999, chance: 0, timing: DEFAULT_TIMING };

function taskOf(parameters: JsonObject, labels: Record<string, string> = {}): Task {
  const definition = chain(['a', 'b']);
  const request = { parameters, labels };
  return createTask({ definition, version: 3 }, request, { taskId: 't', moment }).task;
}

describe('a task as JSON', () => {
  it('is JSON whatever stands in it', () => {
    const text = fc.string({ unit: anyCharacter });
    const object = fc.dictionary(text, fc.jsonValue()).map((value) => value as JsonObject);
    const given = fc.record({ object, labels: fc.dictionary(text, text), message: text });
    fc.assert(
      fc.property(given, ({ labels, message, object }) => {
        const task = taskOf(object, labels);
        const runs = task.runs.map(({ normal, rollback, ...rest }) => {
          const undo = rollback && { ...rollback, values: object };
          const values = object;
          return {
            ...rest,
            normal: { ...normal, message, output: object, values },
            rollback: undo,
          };
        });
        const shown = JSON.parse(taskJson({ ...task, message, runs })) as Record<string, object>;
        const kept = JSON.parse(JSON.stringify({ labels, object })) as Record<string, object>;
        expect(shown['input']).toEqual(kept['object']);
        expect(shown['parameters']).toEqual(kept['object']);
        expect(shown['labels']).toEqual(kept['labels']);
        const values = kept['object'];
        const step = { message, output: values, values, rollback: { values } };
        expect(shown).toMatchObject({ taskMessage: message, steps: [step, step] });
      }),
      { numRuns: 200 },
    );
  });

  it('has whole seconds, and timeouts as people wrote them', () => {
    const retry = {
      attempts: 3,
      backoff: 'exponential',
      delayMs: 1_500,
      maxDelayMs: 60_000,
      jitter: true,
    } as const;
    const more = { timeoutMs: 1_500, attemptTimeoutMs: 500, retry, parameters: { role: 'x' } };
    const steps = [{ name: 'a "b"', needs: [], normal: action('m.a', more), rollback: null }];
    const options = { taskId: 't', moment };
    const { task } = createTask(
      { definition: flow(steps), version: 1 },
      { parameters: {} },
      options,
    );
    expect(JSON.parse(taskJson(task))).toMatchObject({
      timeCreate: 1_700_000_000,
      wakeAt: 1_700_000_005,
      steps: [
        {
          name: 'a "b"',
          needs: [],
          normal: {
            timeout: 1.5,
            attemptTimeout: 0.5,
            retry: { attempts: 3, backoff: 'exponential', delay: 1.5, maxDelay: 60, jitter: true },
            parameters: { role: 'x' },
          },
          rollback: null,
        },
      ],
    });
  });

  it('has what was sent as its input, and with the results of its steps as its parameters', () => {
    const task = taskOf({ cpu: 1, host: 'any' });
    const succeeded = task.runs.map(({ normal, ...rest }, index) => {
      const output = index === 0 ? { host: 'h1', at: 'first' } : { at: 'second' };
      return { ...rest, normal: { ...normal, state: 'succeeded' as const, output } };
    });
    const read = (runs: Task['runs']): unknown => JSON.parse(taskJson({ ...task, runs }));
    const input = { cpu: 1, host: 'any' };
    expect(read(task.runs)).toMatchObject({ input, parameters: input });
    expect(read([succeeded[0]!, task.runs[1]!])).toMatchObject({
      input,
      parameters: { cpu: 1, host: 'h1', at: 'first' },
    });
    expect(read(succeeded)).toMatchObject({
      input,
      parameters: { cpu: 1, host: 'h1', at: 'second' },
    });
  });

  it('names the run of each step, and tells the runs of a step apart', () => {
    const task = taskOf({});
    const [first, second] = task.runs;
    const runs = [first!, { ...second!, generation: 3 }];
    expect(JSON.parse(taskJson({ ...task, runs }))).toMatchObject({
      steps: [
        { name: 'a', kind: 'normal', id: 'a', generation: 1, state: 'queued' },
        { name: 'b', kind: 'normal', id: 'b~3', generation: 3, needs: ['a'], state: 'pending' },
      ],
    });
  });

  it('has failed in no step when its time was over, and a step was called off for that', () => {
    const at = (now: number) => ({ moment: { ...moment, now } });
    const timed = { definition: { ...chain(['a']), timeoutMs: 1_000 }, version: 1 };
    const { task } = createTask(timed, { parameters: {} }, { taskId: 't', ...at(0) });
    const ref = { direction: 'normal', step: 0 } as const;
    const calledOff = { failure: 'CALLED_OFF', message: 'called off', terminal: true } as const;
    const late = [
      { kind: 'claimed', ...ref, attempt: 1, owner: 'p' },
      { kind: 'tick', crowded: new Map() },
      { kind: 'failed', ...ref, token: 1, ...calledOff },
    ] satisfies TaskEvent[];
    const ended = late.reduce((before: Task, event, n) => {
      const decision = transition(before, event, at(500 + n * 1_000));
      return decision.kind === 'moved' ? decision.task : before;
    }, task);
    expect(JSON.parse(taskJson(ended))).toMatchObject({
      steps: [{ state: 'terminated', message: expect.stringContaining('called off') }],
      lastError: { step: null, code: 'TIMED_OUT', message: 'the task as a whole timed out' },
    });
  });

  it('has failed in no step when its time was over behind a point of no return', () => {
    const at = (now: number) => ({ moment: { ...moment, now } });
    const { steps, ...rest } = chain(['a', 'b']);
    const pivoted = steps.map((step): StepPlan => {
      return step.name === 'a' ? { ...step, pivot: true } : step;
    });
    const timed = { definition: { ...rest, steps: pivoted, timeoutMs: 1_000 }, version: 1 };
    const { task } = createTask(timed, { parameters: {} }, { taskId: 't', ...at(0) });
    const ref = { direction: 'normal', step: 0 } as const;
    const events = [
      { kind: 'claimed', ...ref, attempt: 1, owner: 'p' },
      { kind: 'succeeded', ...ref, token: 1, output: null },
      { kind: 'tick', crowded: new Map() },
    ] satisfies TaskEvent[];
    const held = events.reduce((before: Task, event, n) => {
      const decision = transition(before, event, at(500 + n * 300));
      return decision.kind === 'moved' ? decision.task : before;
    }, task);
    expect(JSON.parse(taskJson(held))).toMatchObject({
      status: 'on_hold',
      hold: { reason: 'the task as a whole timed out' },
      lastError: { step: null, code: 'TIMED_OUT', message: 'the task as a whole timed out' },
    });
  });

  it('has failed in the group whose time was over behind a point of no return', () => {
    const at = (now: number) => ({ moment: { ...moment, now } });
    const { steps, ...rest } = chain(['a', 'b']);
    const group = steps.map((step): StepPlan => {
      return step.name === 'a' ? { ...step, pivot: true } : step;
    });
    const holder = { name: 'g', needs: [], group, retry: NO_RETRY, timeoutMs: 1_000 } as StepPlan;
    const timed = { definition: { ...rest, steps: [holder], timeoutMs: 60_000 }, version: 1 };
    const { task } = createTask(timed, { parameters: {} }, { taskId: 't', ...at(0) });
    const ref = { direction: 'normal', step: 1 } as const;
    const person = { actor: 'ann', reason: 'why', key: null } as const;
    const play = (from: Task, events: readonly (readonly [number, TaskEvent])[]): Task =>
      events.reduce((before: Task, [now, event]) => {
        const decision = transition(before, event, at(now));
        return decision.kind === 'moved' ? decision.task : before;
      }, from);
    const tick = { kind: 'tick', crowded: new Map() } as const;
    const held = play(task, [
      [500, { kind: 'claimed', ...ref, attempt: 1, owner: 'p' }],
      [600, { kind: 'succeeded', ...ref, token: 1, output: null }],
      [1_100, tick],
    ]);
    const message = 'step g timed out';
    expect(JSON.parse(taskJson(held))).toMatchObject({
      hold: { reason: message },
      lastError: { step: 'g', code: 'TIMED_OUT', message },
    });
    const again = play(held, [
      [2_000, { kind: 'retry_requested', ...person }],
      [62_500, tick],
    ]);
    expect(JSON.parse(taskJson(again))).toMatchObject({
      status: 'on_hold',
      lastError: { step: null, code: 'TIMED_OUT', message: 'the task as a whole timed out' },
    });
  });

  it('names what failed by itself before what a person terminated after that', () => {
    const task = taskOf({});
    const ended = (code: number, endedAt: number) => ({ state: 'failed' as const, code, endedAt });
    const withRuns = (...ends: ReturnType<typeof ended>[]): unknown => {
      const runs = task.runs.map((run, n) => ({ ...run, normal: { ...run.normal, ...ends[n] } }));
      return (JSON.parse(taskJson({ ...task, runs })) as { lastError: unknown }).lastError;
    };
    expect(withRuns(ended(1, 5), ended(8, 9))).toMatchObject({ step: 'a', code: 'FAILED' });
    expect(withRuns(ended(8, 9), ended(1, 5))).toMatchObject({ step: 'b', code: 'FAILED' });
    expect(withRuns(ended(8, 5), ended(8, 9))).toMatchObject({ step: 'b', code: 'TERMINATED' });
  });

  it('begins with what its creator was answered', () => {
    const task = taskOf({});
    expect(taskJson(task).startsWith(receiptJson(task).slice(0, -1))).toBe(true);
    expect(tagOf(task)).toBe('"1"');
  });
});
