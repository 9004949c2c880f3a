import { expect, it } from '@jest/globals';
import type { StepPlan } from './flow.js';
import type { JsonObject } from '../json/json.js';
import { mergedParameters, parametersAt, parametersFor, resultsFor } from '../values/parameters.js';
import { Play, step } from '../transitions/play-spec.js';

const ANSWER = { status: 200, headers: { connection: 'close' }, body: { token: 'of a' } };

/** A step that sends a request, and undoes it by another one. */
function request(name: string, needs: number[], parameters: JsonObject | null = null): StepPlan {
  const { normal } = step(name, needs);
  if (normal === undefined) throw new Error('no command');
  const sent = { ...normal, module: 'http', command: 'request', parameters };
  return { name, needs, normal: sent, rollback: sent };
}

function answer(play: Play, output: JsonObject): Play {
  const [next] = play.last.queued;
  if (next === undefined) throw new Error('nothing is queued');
  play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
  return play.do({ kind: 'succeeded', ...next.ref, token: play.task.token, output });
}

it('an answer stands under the name of its step, for commands and expressions', () => {
  const play = answer(new Play({ steps: [request('a', []), step('b', [0])] }), ANSWER);
  const ref = { direction: 'normal', step: 1 } as const;
  expect(parametersFor(play.task, ref)).toEqual({ a: ANSWER });
  expect(parametersAt(play.task, ref)).toEqual({ a: ANSWER });
  expect(mergedParameters(play.task)).toEqual({ a: ANSWER });
  expect(resultsFor(play.task, ref)).toEqual({ a: ANSWER });
});

it.each(['a', 'body', 'headers', 'expect', 'url'])(
  'an answer of step %s is no parameter of a request, neither the next one nor its own rollback',
  (name) => {
    const steps = [request(name, [], { url: 'u' }), request('b', [0], { method: 'GET' })];
    const play = answer(new Play({ steps }), ANSWER);
    expect(parametersFor(play.task, { direction: 'normal', step: 1 })).toEqual({ method: 'GET' });
    expect(parametersFor(play.task, { direction: 'rollback', step: 0 })).toEqual({ url: 'u' });
    const back = parametersAt(play.task, { direction: 'rollback', step: 0 });
    expect(back).toEqual({ url: 'u', [name]: ANSWER });
  },
);

it('a request takes what a command and a set gave', () => {
  const set: StepPlan = { name: 's', needs: [0], set: { method: 'GET' }, rollback: null };
  const play = answer(new Play({ steps: [step('c', []), set, request('b', [1])] }), { url: 'u' });
  const given = parametersFor(play.task, { direction: 'normal', step: 2 });
  expect(given).toEqual({ url: 'u', method: 'GET' });
});
