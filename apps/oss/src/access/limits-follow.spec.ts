import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { fitsAny } from '#access';
import type { FlowDefinition, JsonObject, StepPlan } from '#core';
import { action, fails, flow } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { GuardedGateway, type KeyLimits } from './guarded-gateway-spec.js';

const LEAVES = ['a-m', 'a-n', 'b-m', 'b-n'] as const;
type Leaf = (typeof LEAVES)[number];
const PLAIN = { needs: [], rollback: null };

const moduleOf = (leaf: Leaf): string => leaf.slice(-1);
const work = (module: string): StepPlan => {
  return { name: 'do', ...PLAIN, normal: action(`${module}.do`) };
};
const child = (name: string, parameters: JsonObject | null = null): StepPlan => {
  return { name: 'c', needs: [], flow: { name, version: null, parameters } };
};
const each = (inner: { steps: readonly StepPlan[] } | { flow: string }): StepPlan => {
  const rest = { in: [1], as: 'i', concurrency: 1, successPercent: 100, parameters: null };
  return { name: 'e', needs: [], foreach: { ...rest, steps: null, flow: null, ...inner } };
};
const made: StepPlan = { name: 'd', needs: [], dynamic: { steps: '{% made %}' } };

/** How a task of a flow `w-*` comes to start a leaf, or to do what a leaf does. */
const SHAPES: Readonly<
  Record<string, (leaf: Leaf) => { readonly flow: FlowDefinition; readonly given?: JsonObject }>
> = {
  itself: (leaf) => ({ flow: flow([work(moduleOf(leaf))], { name: leaf }) }),
  byName: (leaf) => ({ flow: flow([child(leaf)], { name: `w-name-${leaf}` }) }),
  eachByName: (leaf) => ({ flow: flow([each({ flow: leaf })], { name: `w-each-${leaf}` }) }),
  byDeepName: (leaf) => ({ flow: flow([child(`w-name-${leaf}`)], { name: `w-deep-${leaf}` }) }),
  byFailure: (leaf) => ({
    flow: flow([{ name: 'broken', ...PLAIN, normal: action('m.broken') }], {
      name: `w-fail-${leaf}`,
      failureFlow: leaf,
    }),
  }),
  byExpression: (leaf) => ({
    flow: flow([child('{% leaf %}')], { name: 'w-expr' }),
    given: { leaf },
  }),
  eachByExpression: (leaf) => ({
    flow: flow([each({ flow: '{% leaf %}' })], { name: 'w-each-expr' }),
    given: { leaf },
  }),
  byDeepExpression: (leaf) => ({
    flow: flow([child('w-expr', { leaf: '{% leaf %}' })], { name: 'w-deep-expr' }),
    given: { leaf },
  }),
  byDynamicStep: (leaf) => ({
    flow: flow([made], { name: 'w-dyn' }),
    given: { made: [work(moduleOf(leaf))] as unknown as JsonObject['made'] & object },
  }),
  byDynamicStart: (leaf) => ({
    flow: flow([made], { name: 'w-dyn' }),
    given: { made: [child(leaf)] as unknown as JsonObject['made'] & object },
  }),
  byDynamicPart: (leaf) => ({
    flow: flow([each({ steps: [made] })], { name: 'w-part' }),
    given: { made: [work(moduleOf(leaf))] as unknown as JsonObject['made'] & object },
  }),
};

const FLOWS = new Map(
  LEAVES.flatMap((leaf) => Object.values(SHAPES).map((shape) => shape(leaf).flow)).map((one) => [
    one.name,
    one,
  ]),
);

/** Makes tasks of an order, with a key of these limits, and answers with their ids. */
type Way = (order: Order, limits: KeyLimits) => Promise<readonly string[]>;
interface Order extends JsonObject {
  readonly flow: string;
  readonly parameters: JsonObject;
}

let desk: GuardedGateway;
let admin: Record<string, string>;
let marks = 0;
beforeAll(async () => {
  desk = await GuardedGateway.open([...FLOWS.values()]);
  admin = await desk.key('admin');
  desk.gateway.world.commands.scripts.set('m.broken', () => fails());
});
afterAll(() => desk.gateway.close());

const idsOf = (body: Record<string, unknown>): readonly string[] => {
  return typeof body['taskId'] === 'string' ? [body['taskId']] : [];
};

/** A final task of the order that somebody without limits started. */
async function ended(order: Order): Promise<string> {
  const mark = `r${(marks += 1)}`;
  const asked = { ...order, labels: { mark, team: 'x' } };
  const { body } = await desk.as(admin).send('POST', '/v1/tasks', asked);
  await desk.rest();
  return String(body['taskId']);
}

async function stored(order: Order, by: Record<string, string>): Promise<string | null> {
  const name = `s${(marks += 1)}`;
  const asked = { ...order, labels: { team: 'x' }, every: '1h', overlap: 'allow' };
  const { status } = await desk.as(by).send('PUT', `/v1/schedules/${name}`, asked);
  return status < 300 ? name : null;
}

const WAYS: Readonly<Record<string, Way>> = {
  async single(order, limits) {
    const { body } = await desk
      .as(await desk.key('starter', limits))
      .send('POST', '/v1/tasks', order);
    return idsOf(body);
  },
  async batch(order, limits) {
    const key = await desk.key('starter', limits);
    const { body } = await desk.as(key).send('POST', '/v1/tasks:batch', { tasks: [order] });
    return (body['results'] as readonly Record<string, unknown>[]).flatMap(idsOf);
  },
  async schedule(order, limits) {
    const name = await stored(order, await desk.key('author', limits));
    if (name === null) return [];
    const taskId = `moment-${name}`;
    await desk.startMoment(name, taskId);
    return [taskId];
  },
  async triggerByAdmin(order, limits) {
    const name = await stored(order, await desk.key('author', limits));
    if (name === null) return [];
    return idsOf((await desk.as(admin).send('POST', `/v1/schedules/${name}:trigger`, {})).body);
  },
  async triggerOfAdmin(order, limits) {
    const name = await stored(order, admin);
    const key = await desk.key('starter', limits);
    return idsOf((await desk.as(key).send('POST', `/v1/schedules/${name}:trigger`, {})).body);
  },
  async restart(order, limits) {
    const before = await ended(order);
    const key = await desk.key('starter', limits);
    const asked = { reason: 'again' };
    return idsOf((await desk.as(key).send('POST', `/v1/tasks/${before}:restart`, asked)).body);
  },
  async restartByAdmin(order, limits) {
    const key = await desk.key('starter', limits);
    const [before] = idsOf((await desk.as(key).send('POST', '/v1/tasks', order)).body);
    if (before === undefined) return [];
    await desk.rest();
    const asked = { reason: 'again' };
    return idsOf((await desk.as(admin).send('POST', `/v1/tasks/${before}:restart`, asked)).body);
  },
  async bulkRestart(order, limits) {
    const before = await ended(order);
    const mark = (await desk.gateway.world.task(before)).plan.labels['mark'];
    const asked = { action: 'restart', q: `label.mark:${mark}`, reason: 'again' };
    await desk.as(await desk.key('operator', limits)).send('POST', '/v1/operations', asked);
    await desk.rest();
    const { body } = await desk.as(admin).send('GET', `/v1/tasks?label.mark=${mark}`);
    const ids = (body['items'] as readonly Record<string, unknown>[]).flatMap(idsOf);
    const tasks = await Promise.all(ids.map((taskId) => desk.gateway.world.task(taskId)));
    return tasks.flatMap(({ plan }) => (plan.restartOf === null ? [] : [plan.taskId]));
  },
};

const limitsArbitrary = fc.record({
  flows: fc.option(
    fc.uniqueArray(fc.constantFrom('w-*', 'a-*', '*-m', 'b-n', '*'), { minLength: 1 }),
  ),
  modules: fc.option(fc.uniqueArray(fc.constantFrom('m', 'n', 'x'), { minLength: 1 })),
  labels: fc.option(fc.constant({ team: 'x' })),
});

const known = ({ flows, labels, modules }: Record<keyof KeyLimits, unknown>): KeyLimits => {
  const all = { ...(flows ? { flows } : {}), ...(labels ? { labels } : {}) };
  return { ...all, ...(modules ? { modules } : {}) } as KeyLimits;
};

it.each(Object.keys(WAYS))(
  'by the way %s nobody starts, at any depth, what he may not start himself',
  async (way) => {
    await fc.assert(
      fc.asyncProperty(
        limitsArbitrary,
        fc.constantFrom(...LEAVES),
        fc.constantFrom(...Object.keys(SHAPES)),
        async (drawn, leaf, shape) => {
          const { flow: root, given = {} } = SHAPES[shape]!(leaf);
          const limits = known(drawn);
          const roots = await WAYS[way]!({ flow: root.name, parameters: given }, limits);
          await desk.rest();
          const families = await Promise.all(roots.map((id) => desk.family(id, admin)));
          for (const { plan } of families.flat()) {
            expect(fitsAny(drawn.flows, plan.flow)).toBe(true);
            if (drawn.labels !== null) expect(plan.labels).toMatchObject(drawn.labels);
          }
          const ids = new Set(families.flat().map(({ plan }) => plan.taskId));
          const ran = desk.gateway.world.commands.contexts.filter(({ taskId }) => ids.has(taskId));
          for (const { module } of ran) expect(fitsAny(drawn.modules, module)).toBe(true);
        },
      ),
      fuzzBudget(80),
    );
  },
  FUZZ_TIMEOUT_MS,
);

it.each(Object.keys(WAYS))('by the way %s everything runs that the limits allow', async (way) => {
  for (const shape of Object.keys(SHAPES)) {
    const { flow: root, given = {} } = SHAPES[shape]!('a-m');
    const limits: KeyLimits = { flows: ['w-*', 'a-m'], modules: ['m'] };
    const [taskId = ''] = await WAYS[way]!({ flow: root.name, parameters: given }, limits);
    await desk.rest();
    const family = await desk.family(taskId, admin);
    const ids = new Set(family.map(({ plan }) => plan.taskId));
    const { contexts } = desk.gateway.world.commands;
    const ran = contexts.filter((one) => ids.has(one.taskId)).map(({ command }) => command);
    expect([way, shape, ran.includes('do')]).toEqual([way, shape, true]);
  }
});

it('a step whose flow or module is left out fails for good, and says so', async () => {
  const key = await desk.key('starter', { flows: ['w-*'], modules: ['m'] });
  const n = [work('n')] as unknown as JsonObject['made'] & object;
  const orders = [
    [{ flow: 'w-expr', parameters: { leaf: 'a-m' } }, 'the flow a-m'],
    [{ flow: 'w-dyn', parameters: { made: n } }, 'the module n'],
  ] as const;
  for (const [order, what] of orders) {
    const { body } = await desk.as(key).send('POST', '/v1/tasks', order);
    await desk.rest();
    const { turned } = await desk.gateway.world.task(String(body['taskId']));
    expect(turned?.cause).toMatchObject({
      code: 'NOT_ALLOWED',
      message: expect.stringContaining(`the limits of its starter leave out ${what}`),
    });
  }
});

it('a start that is known to be left out is refused at once, and names what is', async () => {
  const key = await desk.key('starter', { flows: ['w-*'], modules: ['m'] });
  for (const order of [{ flow: 'w-deep-a-m' }, { flow: 'w-fail-a-m' }]) {
    const { body, status } = await desk.as(key).send('POST', '/v1/tasks', order);
    expect([status, body['code']]).toEqual([403, 'FORBIDDEN']);
    expect(body['detail']).toContain('leave out the flow a-m');
  }
});

it('a task of somebody without limits carries none', async () => {
  const order = { flow: 'w-name-a-m', parameters: {} };
  const { body } = await desk.as(await desk.key('starter')).send('POST', '/v1/tasks', order);
  await desk.rest();
  const family = await desk.family(String(body['taskId']), admin);
  expect(family).toHaveLength(2);
  for (const { plan } of family) expect('limits' in plan).toBe(false);
});
