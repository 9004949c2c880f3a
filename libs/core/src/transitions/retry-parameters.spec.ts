import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import { parametersAt, parametersFor, taskLayers } from '../values/parameters.js';
import { placeOf } from '../scopes/run-id.js';
import { Play, step } from './play-spec.js';
import type { ActionRef } from '../task/action-ref.js';

const PERSON = { actor: 'ann', reason: 'why', key: null } as const;
const HOLD = { holdMs: null };

type Both = readonly [forward: JsonObject, back: JsonObject];

/** A step whose actions have these constants. */
function fixed(name: string, needs: number[], [forward, back]: Both): StepPlan {
  const { normal, rollback } = step(name, needs);
  if (normal === undefined || !rollback) throw new Error('no command');
  const both = { normal: { ...normal, parameters: forward } };
  return { name, needs, ...both, rollback: { ...rollback, parameters: back } };
}

/** The next action that is queued ends; gives the parameters it was called with. */
function end(play: Play, kind: 'succeeded' | 'failed', output: JsonObject | null = null) {
  const [next] = play.last.queued;
  if (next === undefined) throw new Error('nothing is queued');
  play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
  const report = { ...next.ref, token: play.task.token };
  const given = parametersFor(play.task, next.ref);
  if (kind === 'succeeded') play.do({ kind, ...report, output });
  else play.do({ kind, ...report, terminal: true, failure: 'FAILED', message: 'no' });
  return given;
}

function retry(play: Play, parameters: JsonObject): void {
  play.do({ kind: 'retry_requested', ...PERSON, parameters });
}

describe('parameters of a retry', () => {
  it('win in the rollback that is retried, over its constants and what its step gave', () => {
    const play = new Play({ steps: [fixed('a', [], [{ x: 'f' }, { y: 'b' }]), step('b', [0])] });
    end(play, 'succeeded', { z: 'o', x: 'o' });
    end(play, 'failed');
    end(play, 'succeeded');
    expect(end(play, 'failed')).toEqual({ x: 'o', y: 'b', z: 'o' });
    retry(play, { x: 1, y: 1, z: 1 });
    expect(taskLayers(play.task).at(-1)).toMatchObject({
      writer: { kind: 'person', actor: 'ann' },
      values: { z: 1 },
    });
    const undo: ActionRef = { direction: 'rollback', step: 0 };
    expect(parametersAt(play.task, undo)).toMatchObject({ x: 1, y: 1, z: 1 });
    expect(end(play, 'failed')).toEqual({ x: 1, y: 1, z: 1 });
    retry(play, { y: 2 });
    expect(end(play, 'succeeded')).toEqual({ x: 1, y: 2, z: 1 });
    expect(play.status).toBe('rolled_back');
  });

  it('win in the step that is retried and then in its undo, and lose to later constants', () => {
    const steps = [fixed('a', [], [{ x: 'a' }, {}]), fixed('b', [0], [{ x: 'b' }, { w: 'u' }])];
    const play = new Play({ steps, onFailure: HOLD });
    expect(end(play, 'failed')).toEqual({ x: 'a' });
    retry(play, { x: 1, w: 1 });
    expect(end(play, 'succeeded')).toEqual({ x: 1, w: 1 });
    expect(end(play, 'failed')).toEqual({ x: 'b', w: 1 });
    play.do({ kind: 'rollback_requested', ...PERSON });
    expect(end(play, 'succeeded')).toEqual({ x: 'b', w: 'u' });
    expect(end(play, 'succeeded')).toEqual({ x: 1, w: 1 });
    expect(play.status).toBe('rolled_back');
  });

  it('win in the new run of a step whose catch failed', () => {
    const caught = { errors: ['*'], as: null, steps: [step('c', [])] };
    const steps = [{ ...fixed('a', [], [{ x: 'a' }, {}]), catch: [caught] }];
    const play = new Play({ steps, onFailure: HOLD });
    for (const kind of ['failed', 'succeeded', 'failed', 'succeeded'] as const) end(play, kind);
    expect(play.status).toBe('on_hold');
    retry(play, { x: 1 });
    expect(placeOf(play.task, 'a~2')).toBe(0);
    expect(end(play, 'succeeded')).toEqual({ x: 1 });
  });

  it('win in the step to which a task was rolled back', () => {
    const play = new Play({ steps: [fixed('a', [], [{ x: 'a' }, {}]), step('b', [0])] });
    end(play, 'succeeded');
    play.do({ kind: 'rollback_requested', ...PERSON, to: 'a' });
    end(play, 'succeeded');
    expect(play.status).toBe('on_hold');
    retry(play, { x: 1 });
    expect(end(play, 'succeeded')).toEqual({ x: 1 });
  });

  it('win in a step of a group that is past its point of no return, and in no step beside it', () => {
    const group: StepPlan[] = [
      { ...step('p', []), pivot: true as const },
      fixed('x', [0], [{ x: 'x' }, {}]),
      step('y', [1]),
    ];
    const holder: StepPlan = { name: 'g', needs: [], group, retry: NO_RETRY, timeoutMs: null };
    const play = new Play({ steps: [holder] });
    end(play, 'succeeded');
    end(play, 'failed');
    expect(play.status).toBe('on_hold');
    retry(play, { x: 1 });
    expect(end(play, 'succeeded', { x: 'output' })).toEqual({ x: 1 });
    expect(end(play, 'succeeded')).toEqual({ x: 'output' });
  });
});

it('parameters of a reset win in the new run of its step, and lose to constants of later ones', () => {
  const steps = [fixed('a', [], [{ x: 'a' }, {}]), fixed('b', [0], [{ x: 'b' }, {}])];
  const play = new Play({ steps });
  end(play, 'succeeded');
  play.do({ kind: 'reset_requested', ...PERSON, to: 'a', parameters: { x: 1 } });
  expect(end(play, 'succeeded')).toEqual({ x: 'a' });
  expect(end(play, 'succeeded')).toEqual({ x: 1 });
  expect(end(play, 'succeeded')).toEqual({ x: 'b' });
});

it('parameters of a retry may not lead the secrets of a task elsewhere', () => {
  const play = new Play({ steps: [fixed('a', [], [{ url: 'u' }, {}])], onFailure: HOLD });
  play.task = { ...play.task, hasSecrets: true };
  end(play, 'failed');
  const event = { kind: 'retry_requested', ...PERSON } as const;
  expect(play.decide({ ...event, parameters: { url: 'other' } })).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('the flow itself sets "url" of step a'),
  });
  expect(play.decide({ ...event, parameters: { size: 1 } }).kind).toBe('moved');
});
