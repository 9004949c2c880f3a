import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlowDefinition, StepPlan } from '#core';
import { action, chain, fails, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;

const chained = chain(['a', 'b']);
const last: StepPlan = { name: 'c', needs: [1], normal: action('m.c'), rollback: null };
const [a, b] = chained.steps;
const pivoted = [{ ...a!, pivot: true } as StepPlan, b!];
const THREE: FlowDefinition = { ...chained, name: 'three', steps: [...chained.steps, last] };
const PIVOTED: FlowDefinition = { ...chained, name: 'pivoted', steps: pivoted };

beforeEach(async () => {
  gateway = await Gateway.open([THREE, PIVOTED]);
});

afterEach(() => gateway.close());

async function planOf(flow: string): Promise<unknown> {
  const taskId = await gateway.create({ flow });
  await settle();
  return (await gateway.ask({ url: `/v1/tasks/${taskId}/rollback-plan` })).json();
}

describe('GET /v1/tasks/{taskId}/rollback-plan', () => {
  it('lists the undos last first, with what they are called with and who serves them', async () => {
    expect(await planOf('three')).toMatchObject({
      items: [
        { step: 'b', id: 'b', module: 'm', command: 'undo_b', parameters: {} },
        { step: 'a', id: 'a', module: 'm', command: 'undo_a', parameters: {} },
      ],
      pivot: null,
      leftOver: [{ step: 'c', id: 'c' }],
      obstacle: null,
      isCut: false,
    });
  });

  it('says why a task would not go back past a point of no return', async () => {
    gateway.world.commands.scripts.set('m.b', () => fails());
    const plan = await planOf('pivoted');
    expect(plan).toMatchObject({ items: [], pivot: 'a' });
    expect(plan).toHaveProperty('obstacle', expect.stringContaining('point of no return'));
  });
});

describe('GET /v1/executors', () => {
  it('lists who is there, by module', async () => {
    await gateway.world.engine.directory.tick();
    const { items } = (await gateway.ask({ url: '/v1/executors' })).json() as { items: object[] };
    expect(items[0]).toMatchObject({ module: 'm', lastSeen: expect.stringMatching(/Z$/) });
  });
});
