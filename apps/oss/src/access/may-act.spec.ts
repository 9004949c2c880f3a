import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { hasRightsOf } from '#access';
import type { StepPlan } from '#core';
import { type Role, ROLES } from '#ports';
import { action, done, fails, flow, PlainSecrets, settle } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { Gateway } from '../gateway-spec.js';
import { alone, CallersOf, inBulk } from './gate-spec.js';

let gateway: Gateway;
let callers: CallersOf;
afterEach(() => gateway.close());

async function settled(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await settle();
}

function command(name: string): StepPlan {
  return { name, needs: [], normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
}

describe('values that somebody sends along', () => {
  const REFERENCE = { $secret: 'env:API_TOKEN' };
  const SEALED = 'bks-sealed:v1.00000001.abc';
  const properties = { url: {}, note: {}, pw: { secret: true } };
  const SEND = flow([command('send')], {
    name: 'send',
    input: { type: 'object', properties },
    onFailure: { holdMs: null },
  });
  const PLAIN = flow([command('send')], { name: 'plain', onFailure: { holdMs: null } });

  let held: string;
  let plain: string;
  beforeEach(async () => {
    gateway = await Gateway.open([SEND, PLAIN], { asksForKeys: true, secrets: new PlainSecrets() });
    callers = new CallersOf(gateway);
    gateway.world.commands.scripts.set('m.send', () => fails());
    const headers = await callers.role('operator');
    held = await gateway.create({ flow: 'send', parameters: { pw: 'a secret' } }, headers);
    plain = await gateway.create({ flow: 'plain' }, headers);
    await settled();
  });

  /** The outcome of an action by itself, in an operation, and in a dry run of one. */
  async function outcomes(verb: string, body: object, name: 'plain' | 'send') {
    const headers = await callers.role('operator');
    const asked = { verb, body };
    const q = `flow:${name}`;
    const taskId = name === 'send' ? held : plain;
    const tried = await inBulk(gateway, asked, { q, headers, dryRun: true });
    const many = await inBulk(gateway, asked, { q, headers });
    return [await alone(gateway, asked, { taskId, headers }), many, tried];
  }

  const REFUSED = ['INVALID_PARAMETERS', 'INVALID_PARAMETERS', 'INVALID_PARAMETERS'];

  it.each(['retry', 'reset'])('with a %s are judged in every way in', async (verb) => {
    const to = verb === 'reset' ? { to: 'send' } : {};
    for (const parameters of [
      { note: REFERENCE, url: 'http://thief/' },
      { pw: '***' },
      { note: '***' },
      { pw: { inner: '***' } },
      { pw: SEALED },
      { note: SEALED },
    ]) {
      expect(await outcomes(verb, { ...to, parameters }, 'send')).toEqual(REFUSED);
    }
    expect(await outcomes(verb, { ...to, parameters: { note: REFERENCE } }, 'plain')).toEqual(
      REFUSED,
    );
    expect(gateway.world.commands.calls).toEqual(['send:normal', 'send:normal']);
  });

  it.each([{ a: '***' }, { a: { b: ['***'] } }, { a: SEALED }, { a: REFERENCE }])(
    'as the output of a skip are judged in every way in: %j',
    async (output) => {
      const body = { step: 'send', output };
      for (const name of ['send', 'plain'] as const) {
        expect(await outcomes('skip', body, name)).toEqual(REFUSED);
      }
    },
  );

  it('as the payload of a signal are judged', async () => {
    const headers = await callers.role('operator');
    for (const value of ['***', SEALED, REFERENCE]) {
      const body = { name: 'go', payload: { value }, reason: undefined };
      const signal = { verb: 'signal', body };
      expect(await alone(gateway, signal, { taskId: plain, headers })).toBe('INVALID_PARAMETERS');
    }
  });

  it('with a restart are judged in every way in', async () => {
    const headers = await callers.role('operator');
    for (const taskId of [held, plain]) {
      await alone(gateway, { verb: 'terminate', body: {} }, { taskId, headers });
    }
    for (const parameters of [{ pw: '***' }, { note: '***' }, { note: REFERENCE }]) {
      expect(await outcomes('restart', { parameters }, 'send')).toEqual(REFUSED);
    }
  });
});

describe('what one request may not do', () => {
  const ask = { title: 'Go on?', roles: ['author'], timeoutMs: null, onTimeout: 'fail' } as const;
  const asking: StepPlan = { name: 'ok', needs: [0], approve: ask, rollback: null };
  const pay = { ...command('pay'), needs: [1] };
  const names = ['pays', 'tells'];
  const flows = names.map((name) => flow([command('first'), asking, pay], { name }));

  const callersOf = fc.record({
    role: fc.constantFrom<Role>(...ROLES),
    flows: fc.constantFrom<string | undefined>(undefined, 'pays', 'pay*', 'tells', '*'),
  });
  const output = fc.constantFrom({}, { by: 'boss' }, { ok: {} }, { a: '***' }, { a: 1 });
  const parameters = fc.constantFrom({}, { ok: 1 }, { a: { $secret: 'env:A' } }, { a: 1 });
  const step = fc.constantFrom('first', 'ok', 'pay', 'none');
  const verb = fc.constantFrom('terminate', 'rollback', 'pause', 'resume', 'undo');
  const actions = fc.oneof(
    verb.map((name) => ({ verb: name, body: {} })),
    fc.record({ step, output }).map((body) => ({ verb: 'skip', body })),
    step.map((name) => ({ verb: 'skip', body: { step: name } })),
    parameters.map((given) => ({ verb: 'retry', body: { parameters: given } })),
    fc.record({ to: step, parameters }).map((body) => ({ verb: 'reset', body })),
    parameters.map((given) => ({ verb: 'restart', body: { parameters: given } })),
  );
  const plays = fc.record({
    who: callersOf,
    asked: actions,
    state: fc.constantFrom('runs', 'asks', 'terminated'),
    name: fc.constantFrom(...names),
  });
  type Play = typeof plays extends fc.Arbitrary<infer P> ? P : never;

  it(
    'no operation does either, and each says the same of it',
    async () => {
      gateway = await Gateway.open(flows, { asksForKeys: true });
      callers = new CallersOf(gateway);
      const admin = await callers.role('admin');
      let count = 0;
      const play = async ({ asked, name, state, who }: Play): Promise<void> => {
        const label = `n${(count += 1)}`;
        const first = state === 'runs' ? new Promise<never>(() => undefined) : done();
        gateway.world.commands.scripts.set('m.first', () => first);
        const taskId = await gateway.create({ flow: name, labels: { label } }, admin);
        await settled();
        const end = { verb: 'terminate', body: {} };
        if (state === 'terminated') await alone(gateway, end, { taskId, headers: admin });
        const { flows: limits, role } = who;
        const own = (limits ?? 'any').replaceAll('*', 'star');
        const key = { name: `${role}-${own}`, role, ...(limits && { flows: limits }) };
        const headers = await callers.as(key);
        const q = `label.label:${label}`;
        const before = await gateway.world.task(taskId);
        const tried = await inBulk(gateway, asked, { q, headers, dryRun: true });
        expect(await gateway.world.task(taskId)).toEqual(before);
        const one = await alone(gateway, asked, { taskId, headers });
        // A caller who may act on nothing is refused before any task is looked for.
        const isOperator = hasRightsOf(role, 'operator');
        const seen = one === 'TASK_NOT_FOUND' ? 'nothing' : one;
        if (isOperator) expect(tried).toBe(seen);
        else expect(tried).toBe('FORBIDDEN');
        if (one === 'done') return;
        const many = await inBulk(gateway, asked, { q, headers });
        expect(many).toBe(tried);
        expect(await gateway.world.task(taskId)).toEqual(before);
      };
      await fc.assert(fc.asyncProperty(plays, play), fuzzBudget(200));
    },
    FUZZ_TIMEOUT_MS,
  );
});
