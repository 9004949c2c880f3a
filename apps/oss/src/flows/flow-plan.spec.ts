import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { action, flow, PlainEvaluator } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

const undoable = (name: string, needs: number[], parameters: object = {}) => ({
  name,
  needs,
  normal: action(`m.${name}`, { parameters: parameters as never }),
  rollback: action(`m.undo_${name}`),
});

const LABELLED = [
  flow([undoable('a', [], { size: '{% size %}' })], {
    name: 'labelled',
    labels: { kind: 'child', size: '{% size %}' },
  }),
  flow(
    [
      {
        name: 'call',
        needs: [],
        flow: { name: 'labelled', version: null, parameters: { size: 3 } },
      },
    ],
    { name: 'inherited', labels: { fleet: '{% fleet %}', kind: 'parent' } },
  ),
];

let gateway: Gateway;
beforeAll(async () => {
  const wait = { name: 'rest', needs: [0], wait: { for: 60_000 }, rollback: null };
  const sure = { title: 'sure?', roles: [], timeoutMs: null, onTimeout: 'fail' as const };
  const steps = [
    undoable('a', [], { size: '{% cpu %}', host: '{% host %}' }),
    wait,
    { name: 'sure', needs: [1], approve: sure, rollback: null },
    { ...undoable('b', [2]), if: '{% big %}' },
    { ...undoable('c', [3]), if: '{% host %}' },
  ];
  const input = {
    type: 'object',
    properties: { cpu: { type: 'integer' }, big: { type: 'boolean' } },
  };
  const foreach = {
    in: '{% hosts %}',
    as: 'host',
    concurrency: 1,
    successPercent: 100,
    steps: [undoable('a', [], { size: 1 })],
    flow: null,
    parameters: null,
  };
  const fails = { name: 'no', needs: [0], fail: { code: 'NO', message: 'no' } };
  gateway = await Gateway.open([
    flow(steps, { input }),
    flow([undoable('a', []), fails], { name: 'failing' }),
    flow([undoable('a', []), { ...undoable('p', [0]), pivot: true }, undoable('b', [1])], {
      name: 'pivoted',
    }),
    flow(
      [
        undoable('first', []),
        { name: 'each', needs: [0], foreach },
        { name: 'call', needs: [1], flow: { name: 'pivoted', version: null, parameters: null } },
        undoable('last', [2]),
      ],
      { name: 'parents' },
    ),
    flow(
      [{ name: 'again', needs: [], flow: { name: 'endless', version: null, parameters: null } }],
      { name: 'endless' },
    ),
    ...LABELLED,
  ]);
});
afterAll(() => gateway.close());

it('says what would run, with what, and the way back at each point', async () => {
  const body = { parameters: { cpu: 4, big: false } };
  const answer = await gateway.post('/v1/flows/test-flow:plan', body);
  expect(answer.statusCode).toBe(200);
  const command = (name: string, parameters: object) => {
    return { step: name, id: name, kind: 'normal', module: 'm', command: name, parameters };
  };
  expect(answer.json()).toEqual({
    flow: 'test-flow',
    version: 1,
    items: [
      { ...command('a', { ...body.parameters, size: 4, host: '{% host %}' }), back: ['a'] },
      { step: 'rest', id: 'rest', kind: 'wait', back: ['a'] },
      { step: 'sure', id: 'sure', kind: 'approve', back: ['a'] },
      { ...command('c', body.parameters), back: ['c', 'a'] },
    ],
    back: ['c', 'a'],
    ends: 'succeeded',
    assumptions: [
      expect.objectContaining({ step: 'a', member: 'parameters' }),
      { step: 'c', member: 'if', template: '{% host %}', taken: true },
    ],
  });
  expect((await gateway.ask({ url: '/v1/tasks' })).json()).toMatchObject({ items: [] });
});

it('says that nothing goes back by itself behind a point of no return', async () => {
  const plan = (await gateway.post('/v1/flows/pivoted:plan', {})).json();
  const items = [
    { step: 'a', back: ['a'] },
    { step: 'p', back: ['p', 'a'] },
    { step: 'b', back: [] },
  ];
  expect(plan).toMatchObject({ items, back: [], ends: 'succeeded' });
});

describe('the plan of a flow with child tasks', () => {
  it('passes over them, with the plan of one of them, and goes on', async () => {
    const body = { parameters: { hosts: ['x', 'y'] } };
    const plan = (await gateway.post('/v1/flows/parents:plan', body)).json();
    expect(misfits('FlowPlan', plan)).toEqual([]);
    const part = { step: 'a', id: 'a', command: 'a', parameters: { host: 'x', size: 1 } };
    const children = { count: 2, flow: null, ends: 'succeeded', items: [{ ...part, back: ['a'] }] };
    const called = { count: 1, flow: 'pivoted', ends: 'succeeded' };
    expect(plan).toMatchObject({
      items: [
        { step: 'first', back: ['first'] },
        { step: 'each', id: 'each', kind: 'foreach', children, back: ['each', 'first'] },
        { step: 'call', kind: 'flow', children: called, back: ['call', 'each', 'first'] },
        { step: 'last', kind: 'normal', back: ['last', 'call', 'each', 'first'] },
      ],
      back: ['last', 'call', 'each', 'first'],
      ends: 'succeeded',
    });
    const [, , { children: inner }] = plan.items;
    expect(inner.items).toMatchObject([{ id: 'a' }, { id: 'p' }, { id: 'b', back: [] }]);
    expect(plan.items[3].parameters).toEqual(body.parameters);
  });

  it('says what is not known of them', async () => {
    const { assumptions, ends, items } = (await gateway.post('/v1/flows/parents:plan', {})).json();
    expect(items[1].children).toMatchObject({ count: null, items: [{ id: 'a' }] });
    expect(ends).toBe('succeeded');
    expect(assumptions).toContainEqual(expect.objectContaining({ step: 'each', member: 'in' }));
  });

  it('does not plan a flow in itself', async () => {
    const plan = (await gateway.post('/v1/flows/endless:plan', {})).json();
    const children = { count: 1, flow: 'endless', items: null, ends: 'open' };
    expect(plan).toMatchObject({ items: [{ id: 'again', children }], ends: 'succeeded' });
  });
});

it('has the labels of each flow, and what is assumed for one that nothing is known of', async () => {
  const asked = jest.spyOn(PlainEvaluator.prototype, 'answer');
  await gateway.post('/v1/flows/inherited:plan', { parameters: { fleet: 'blue' } });
  const seen = asked.mock.calls.map(([{ scene }]) => scene.task.labels);
  expect(seen.at(-1)).toEqual({ fleet: 'blue', kind: 'parent', size: '3' });
  const plan = (await gateway.post('/v1/flows/inherited:plan', { parameters: {} })).json();
  const template = '{% fleet %}';
  expect(plan.assumptions).toContainEqual({
    step: '$labels',
    member: 'fleet',
    template,
    taken: template,
  });
});

it('says that a flow fails by itself', async () => {
  const plan = (await gateway.post('/v1/flows/failing:plan', {})).json();
  expect(plan).toMatchObject({ items: [{ step: 'a' }], ends: 'fails', back: ['a'] });
});

it.each([
  ['test-flow', { parameters: { cpu: 'x' } }, 'INVALID_PARAMETERS'],
  ['nope', {}, 'FLOW_NOT_FOUND'],
  ['test-flow', { x: 1 }, 'INVALID_REQUEST'],
])('plans no %s with %j', async (name, body, code) => {
  expect((await gateway.post(`/v1/flows/${name}:plan`, body)).json()).toMatchObject({ code });
});

describe('POST /v1/flows:plan', () => {
  const step = { normal: { module: 'm', command: 'a', parameters: { size: '{% cpu %}' } } };

  it('plans a flow that is not stored, and stores nothing', async () => {
    const body = { flow: { steps: [step, { fail: { code: 'NO', message: 'no' } }] } };
    const answer = await gateway.post('/v1/flows:plan', { ...body, parameters: { cpu: 3 } });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      expect.objectContaining({ flow: 'draft', version: 0, ends: 'fails' }),
    ]);
    expect(answer.json().items[0]).toMatchObject({ step: 'a', parameters: { size: 3, cpu: 3 } });
    expect((await gateway.ask({ url: '/v1/flows/draft' })).statusCode).toBe(404);
  });

  it('points at mistakes in the body', async () => {
    const answer = await gateway.post('/v1/flows:plan', { flow: [{ norml: {} }, step] });
    const [first] = answer.json().errors;
    expect(first).toMatchObject({ pointer: expect.stringMatching(/^\/flow\/0/) });
    expect(first).not.toHaveProperty('line');
  });

  it.each([
    [{ flow: [{ normal: {} }] }, 422, 'INVALID_FLOW'],
    [{ flow: 'test-flow' }, 400, 'INVALID_REQUEST'],
    [{ parameters: {} }, 400, 'INVALID_REQUEST'],
    [{ flow: [step], parameters: [] }, 400, 'INVALID_REQUEST'],
    [{ flow: { input: { type: 'object' }, steps: [step] } }, 200, undefined],
    [
      { flow: { input: { type: 'object', required: ['cpu'] }, steps: [step] } },
      422,
      'INVALID_PARAMETERS',
    ],
  ])('answers %j with %d %s', async (body, status, code) => {
    const answer = await gateway.post('/v1/flows:plan', body);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  });
});
