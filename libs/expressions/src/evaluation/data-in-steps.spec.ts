import { afterAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue, Scene } from '#core';
import { ManualClock } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { ExpressionEvaluator } from './expression-evaluator.js';

const CODE = '{% $env.REGION %}';

const evaluator = new ExpressionEvaluator({ clock: new ManualClock(), env: { REGION: 'north' } });

afterAll(() => evaluator.close());

async function evaluate(template: JsonValue, as: 'steps' | 'json', parameters: JsonObject) {
  const task = { id: 't', flow: 'f', version: 1, labels: { team: CODE }, createdAt: 0 };
  const steps = { plan: { steps: [action({ x: CODE })], action: action({ x: CODE }), text: CODE } };
  const scene: Scene = { parameters, input: parameters, steps, states: {}, task, index: 0, now: 0 };
  const answer = await evaluator.answer({ members: [{ name: 'm', template, as }], scene });
  if ('fault' in answer) throw new Error(answer.fault.reason);
  return answer.values['m'] as JsonValue;
}

function action(parameters: JsonValue): JsonObject {
  return { normal: { module: 'm', command: 'c', parameters } };
}

/** The parameters of the first step that an expression makes, and their values in the end. */
async function parametersOf(code: string, parameters: JsonObject = { id: CODE }) {
  type Steps = readonly { readonly normal: { readonly parameters: JsonValue } }[];
  const steps = (await evaluate(`{% ${code} %}`, 'steps', parameters)) as unknown as Steps;
  return evaluate(steps[0]!.normal.parameters, 'json', {});
}

const made = (value: string): string =>
  `[{'normal': {'module': 'm', 'command': 'c', 'parameters': ${value}}}]`;

describe('a text that an expression puts into a step of its own making stays a text', () => {
  it.each([
    ['of a parameter', made(`{'x': id}`)],
    ['of the request', made(`{'x': $input.id}`)],
    ['of a label', made(`{'x': $task.labels.team}`)],
    ['of an output', made(`{'x': $steps.plan.text}`)],
    ['within a list', made(`{'x': [id][0]}`)],
    ['that was cut out of another', made(`{'x': $substringAfter('x:' & id, ':')}`)],
    ['beside an expression of its own', made(`{'x': id, 'y': '{% 1 %}'}`)],
  ])('%s', async (_, code) => {
    expect(await parametersOf(code)).toMatchObject({ x: CODE });
  });

  it.each<[string, JsonObject]>([
    ['that the data have whole', { x: CODE }],
    ['that look like a step', { x: { normal: { parameters: { y: CODE } } } }],
  ])('in parameters %s', async (_, host) => {
    expect(await parametersOf(made('host'), { host })).toEqual(host);
  });

  it('in every member that may be an expression', async () => {
    const code = `{% [{'if': id, 'set': {'a': id}}, {'wait': {'for': id}}, {'flow': {'name': id}},
      {'parallel': {'set': [{'set': {'b': id}}]}}, {'group': [{'fail': {'message': id}}]}] %}`;
    const steps = await evaluate(code, 'steps', { id: CODE });
    const text = `{% ${JSON.stringify(CODE)} %}`;
    expect(steps).toEqual([
      { if: text, set: { a: text } },
      { wait: { for: text } },
      { flow: { name: text } },
      { parallel: { set: [{ set: { b: text } }] } },
      { group: [{ fail: { message: text } }] },
    ]);
  });

  it(
    'whatever it is',
    async () => {
      const text = fc.string({ unit: 'grapheme' }).map((inner) => `{%${inner}%}`);
      const property = fc.asyncProperty(text, async (id) => {
        expect(await parametersOf(made(`{'x': id}`), { id })).toEqual({ x: id });
      });
      await fc.assert(property, fuzzBudget(200));
    },
    FUZZ_TIMEOUT_MS,
  );
});

describe('an expression is', () => {
  it.each([
    ['what the expression writes', made(`{'x': '{% $env.REGION %}'}`)],
    ['what begins with what it writes', made(`{'x': '{% $env.' & 'REGION' & ' %}'}`)],
    ['in steps that the data have whole', `$steps.plan.steps`],
    ['in one of these', `$steps.plan.steps[0]`],
    ['in an action that the data have whole', `[{'normal': $steps.plan.action.normal}]`],
    ['in parts of such a step', `[$merge([$steps.plan.action, {'optional': true}])]`],
  ])('%s', async (_, code) => {
    expect(await parametersOf(code)).toEqual({ x: 'north' });
  });
});
