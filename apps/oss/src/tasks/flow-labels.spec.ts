import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import type { FlowDefinition } from '#core';
import { chain } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

let gateway: Gateway;

const LABELLED: FlowDefinition = {
  ...chain(['a']),
  constants: { region: 'eu-1' },
  labels: { fleet: '{% fleet %}', region: '{% region %}', kind: 'upgrade' },
};

beforeAll(async () => {
  gateway = await Gateway.open([LABELLED], { asksForKeys: true });
});
afterAll(() => gateway.close());

let number = 0;
async function as(
  labels: Readonly<Record<string, string>> | null = null,
): Promise<Record<string, string>> {
  number += 1;
  const secret = { id: `${number}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const order = { name: `k${number}`, role: 'admin', ...(labels !== null && { labels }) } as const;
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  return { authorization: `Bearer ${text}` };
}

async function start(body: object, headers: Record<string, string>): Promise<Made> {
  const answer = await gateway.post('/v1/tasks', { flow: 'test-flow', ...body }, headers);
  return answer.json();
}

interface Made {
  readonly taskId: string;
  readonly status: number | string;
  readonly code?: string;
}

async function labelsOf({ taskId }: Made, headers: Record<string, string>): Promise<unknown> {
  const answer = await gateway.ask({ url: `/v1/tasks/${taskId}`, headers });
  return answer.json().labels;
}

describe('the labels of a flow', () => {
  it('are worked out of what is sent, and found in lists at once', async () => {
    const admin = await as();
    const made = await start({ parameters: { fleet: 'blue' } }, admin);
    const labels = { fleet: 'blue', region: 'eu-1', kind: 'upgrade' };
    expect(await labelsOf(made, admin)).toEqual(labels);
    const list = await gateway.ask({ url: '/v1/tasks?label.fleet=blue', headers: admin });
    expect(list.json()).toMatchObject({ items: [{ taskId: made.taskId, labels }] });
  });

  it('give way to those of the request, which are not even worked out', async () => {
    const admin = await as();
    const made = await start({ labels: { fleet: 'own', team: 'db' } }, admin);
    const labels = { fleet: 'own', team: 'db', region: 'eu-1', kind: 'upgrade' };
    expect(await labelsOf(made, admin)).toEqual(labels);
  });

  it('are texts of numbers, too', async () => {
    const admin = await as();
    const made = await start({ parameters: { fleet: 7 } }, admin);
    expect(await labelsOf(made, admin)).toMatchObject({ fleet: '7' });
  });

  it.each([{}, { fleet: ['a'] }, { fleet: 'x'.repeat(501) }, { fleet: 'a\u0001' }])(
    'refuse the start where they come to no label: %j',
    async (parameters) => {
      const made = await start({ parameters }, await as());
      expect(made).toMatchObject({
        status: 422,
        code: 'EXPRESSION_FAILED',
        errors: [{ pointer: '/labels/fleet' }],
      });
    },
  );

  it('never move a task out of the limits of whoever starts it', async () => {
    const limited = await as({ fleet: 'mine' });
    const made = await start({ parameters: { fleet: 'theirs' } }, limited);
    expect(await labelsOf(made, limited)).toMatchObject({ fleet: 'mine' });
  });

  it('leave a repetition what it was', async () => {
    const admin = await as();
    const headers = { ...admin, 'idempotency-key': 'once' };
    const first = await start({ parameters: { fleet: 'a' } }, headers);
    const again = await start({ parameters: { fleet: 'a' } }, headers);
    expect(again.taskId).toBe(first.taskId);
  });

  it('are shown with the flow', async () => {
    const answer = await gateway.ask({ url: '/v1/flows/test-flow', headers: await as() });
    expect(answer.json()).toMatchObject({ labels: LABELLED.labels });
    expect(misfits('Flow', answer.json())).toEqual([]);
  });
});
