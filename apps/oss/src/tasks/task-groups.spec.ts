import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type StepOf, NO_RETRY, type StepPlan } from '#core';
import { action, chain, done, fails, flow, settle } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

const reason = 'because';

function group(
  name: string,
  steps: readonly StepPlan[],
  more: Partial<StepOf<'group'>> = {},
): StepOf<'group'> {
  return { name, needs: [], group: steps, retry: NO_RETRY, timeoutMs: null, ...more };
}

const inner = group('i', chain(['c']).steps, { needs: [1] });
const outer = group('g', [...chain(['a', 'b']).steps, inner], {
  needs: [0],
  retry: { ...NO_RETRY, attempts: 2 },
  timeoutMs: 60_000,
});
const before = { name: 'first', needs: [], normal: action('m.first'), rollback: null };

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.open([flow([before, outer])]);
});
afterEach(() => gateway.close());

/** The task as shown, once it stands as said. */
async function shownAt(id: string, status: string): Promise<object> {
  for (;;) {
    const shown = (await gateway.ask({ url: `/v1/tasks/${id}` })).json() as { status: string };
    if (shown.status === status) return shown;
    await settle();
  }
}

describe('a task with groups', () => {
  it('shows each group with the scope that it holds, and their output under its name', async () => {
    gateway.world.commands.scripts.set('m.c', () => done({ host: 'h' }));
    const id = await gateway.create({ flow: 'test-flow' });
    const shown = await shownAt(id, 'succeeded');
    const own = (name: string, run: string) => ({ name, kind: 'normal', id: run, generation: 1 });
    expect(shown).toMatchObject({
      parameters: { g: { i: { host: 'h' } } },
      steps: [
        { ...own('first', 'first'), rollback: null },
        {
          name: 'g',
          kind: 'group',
          id: 'g',
          generation: 1,
          needs: ['first'],
          state: 'succeeded',
          attempts: 1,
          retry: 1,
          timeout: 60,
          output: { i: { host: 'h' } },
          scopes: [
            {
              kind: 'try',
              name: '1',
              way: 'forward',
              steps: [
                own('a', 'g#1/a'),
                { ...own('b', 'g#1/b'), needs: ['a'] },
                { id: 'g#1/i', kind: 'group', scopes: [{ steps: [own('c', 'g#1/i#1/c')] }] },
              ],
            },
          ],
        },
      ],
    });
    const text = JSON.stringify(shown);
    expect(text.match(/"normal":/g)).toHaveLength(4);
    expect(text.match(/"rollback":/g)).toHaveLength(4);
    expect(misfits('Task', shown)).toEqual([]);
  });

  it('shows the way of each scope, its present try, and nothing of what was not entered', async () => {
    const { scripts } = gateway.world.commands;
    // The inner group fails in the first try; the second one does not get so far.
    let calls = 0;
    scripts.set('m.b', () => (calls++ === 0 ? done() : fails()));
    scripts.set('m.c', () => fails());
    const id = await gateway.create({ flow: 'test-flow' });
    const shown = await shownAt(id, 'rolled_back');
    const steps = [
      { id: 'g#2/a', state: 'succeeded', rollback: { state: 'succeeded' } },
      { id: 'g#2/b', state: 'failed', rollback: { state: 'succeeded' } },
      { id: 'g#2/i', state: 'pending', scopes: [] },
    ];
    expect(shown).toMatchObject({
      taskMessage: expect.stringContaining('step g failed: step b'),
      steps: [
        { name: 'first', state: 'succeeded' },
        { name: 'g', state: 'failed', attempts: 2, scopes: [{ name: '2', way: 'back', steps }] },
      ],
    });
    expect(misfits('Task', shown)).toEqual([]);
    const events = (await gateway.ask({ url: `/v1/tasks/${id}/events` })).json() as {
      items: readonly { kind: string; run?: string; step?: string; direction?: string }[];
    };
    const undone = events.items.filter(({ direction, kind }) => {
      return direction === 'rollback' && kind === 'succeeded';
    });
    expect(undone.map(({ run }) => run)).toEqual(['g#1/i#1/c', 'g#1/b', 'g#1/a', 'g#2/b', 'g#2/a']);
    expect(misfits('Events', events)).toEqual([]);
  });
});

describe("a person's action on a run in a group", () => {
  /** A task of which a rollback in the group has failed. */
  async function stuck(): Promise<string> {
    const { scripts } = gateway.world.commands;
    scripts.set('m.b', () => fails());
    scripts.set('m.undo_a', () => fails());
    // Such a task stands still, although its group is under way.
    const answer = await gateway.post('/v1/tasks?wait=30s', { flow: 'test-flow' });
    const { status, taskId } = answer.json() as { status: string; taskId: string };
    expect(status).toBe('rollback_failed');
    return taskId;
  }

  it('skips it by its id, and the group goes on with its next try', async () => {
    const id = await stuck();
    gateway.world.commands.scripts.clear();
    const answer = await gateway.post(`/v1/tasks/${id}:skip`, { step: 'g#1/a', reason });
    expect(answer.statusCode).toBe(200);
    expect(await shownAt(id, 'succeeded')).toMatchObject({ steps: [{}, { attempts: 2 }] });
  });

  it('is refused where its id is not meant, with the ids that are', async () => {
    const id = await stuck();
    const skip = async (step: string): Promise<unknown> => {
      return (await gateway.post(`/v1/tasks/${id}:skip`, { step, reason })).json();
    };
    expect(await skip('a')).toMatchObject({
      code: 'INVALID_PARAMETERS',
      errors: [{ pointer: '/step' }],
      detail: 'There is no step a; the steps are first, g, g#1/a, g#1/b, g#1/i.',
    });
    expect(await skip('g#2/a')).toMatchObject({ code: 'INVALID_PARAMETERS' });
    expect(await skip('g')).toMatchObject({
      code: 'ILLEGAL_ACTION',
      detail: "Only a step whose rollback failed can be skipped: g#1/a; g's is running.",
    });
  });

  it('resets no run in a group: a reset goes to a step of the task itself', async () => {
    const id = await gateway.create({ flow: 'test-flow' });
    await shownAt(id, 'succeeded');
    const reset = (to: string) => gateway.post(`/v1/tasks/${id}:reset`, { to, reason });
    expect((await reset('g#1/a')).json()).toMatchObject({
      code: 'ILLEGAL_ACTION',
      detail: 'Reset needs a step of the task itself; g#1/a is inside g.',
    });
    expect((await reset('g')).statusCode).toBe(200);
    const shown = await shownAt(id, 'succeeded');
    const scopes = [{ name: '1', steps: [{ id: 'g~2#1/a' }, {}, {}] }];
    expect(shown).toMatchObject({ steps: [{ id: 'first' }, { id: 'g~2', scopes }] });
  });
});

describe('a flow with groups', () => {
  it('is shown as it is stored', async () => {
    const shown = (await gateway.ask({ url: '/v1/flows/test-flow' })).json() as object;
    const steps = [{ name: 'a' }, { name: 'b' }, { name: 'i', group: [{ name: 'c' }] }];
    expect(shown).toMatchObject({
      steps: [
        { name: 'first' },
        { name: 'g', needs: ['first'], group: steps, retry: 1, timeout: 60 },
      ],
    });
    expect(misfits('Flow', shown)).toEqual([]);
  });
});
