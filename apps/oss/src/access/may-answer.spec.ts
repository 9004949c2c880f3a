import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import type { FlowDefinition, StepPlan } from '#core';
import { type Role, ROLES } from '#ports';
import { chain, settle } from '#testing';
import { Gateway } from '../gateway-spec.js';

/** A flow that asks people of these roles. */
function asking(name: string, roles: readonly string[]): FlowDefinition {
  const approve = { title: 'Go on?', roles, timeoutMs: null, onTimeout: 'fail' } as const;
  const steps = [{ name: 'sure', needs: [], approve, rollback: null } as StepPlan];
  return { ...chain(['a']), name, steps };
}

let gateway: Gateway;
beforeEach(async () => {
  const flows = [asking('open', []), asking('authors', ['author']), asking('dbas', ['dba'])];
  gateway = await Gateway.open(flows, { asksForKeys: true });
});
afterEach(() => gateway.close());

async function as(role: Role): Promise<Record<string, string>> {
  const { clock, store } = gateway.world;
  const id = String(ROLES.indexOf(role)).repeat(16);
  const secret = { id, secret: 's'.repeat(43) };
  const { record, text } = makeKey({ name: role, role }, secret, clock.now());
  await store.keys.addKey(record);
  return { authorization: `Bearer ${text}` };
}

describe('a step that asks people of some roles', () => {
  it.each([
    ['open', 'operator', 200],
    ['authors', 'operator', 403],
    ['authors', 'author', 200],
    ['authors', 'admin', 200],
    ['dbas', 'author', 403],
    ['dbas', 'admin', 200],
  ] as const)('flow %s is answered by a key of the role %s: %d', async (flow, role, status) => {
    const headers = await as(role);
    const admin = role === 'admin' ? headers : await as('admin');
    const created = await gateway.post('/v1/tasks', { flow }, admin);
    const { taskId } = created.json<{ taskId: string }>();
    await settle();
    for (const verb of ['reject', 'approve']) {
      const body = { step: 'sure', comment: 'mine' };
      const answer = await gateway.post(`/v1/tasks/${taskId}:${verb}`, body, headers);
      expect(answer.statusCode).toBe(status);
      if (status === 200) return;
      expect(answer.json()).toMatchObject({
        code: 'FORBIDDEN',
        detail: expect.stringContaining('asks for'),
      });
    }
  });
});
