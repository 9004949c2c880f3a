import { describe, expect, it } from '@jest/globals';
import { type FlowDefinition, statusName } from '#core';
import type { SecretResolver } from '#ports';
import { action, chain, done, EngineWorld, fails, flow, MemorySecrets } from '#testing';
import { PlainSecrets, settle, type WorldOptions } from '#testing';

const PLACE = { $secret: 'memory:db#password' };
const OTHER = { $secret: 'memory:db#other' };
const INPUT = { properties: { pw: { type: 'string', secret: true }, other: { secret: true } } };
const RULES = [{ module: 'm', secrets: ['memory:db'] }];
const PERSON = { actor: 'ann', reason: 'why', key: null } as const;

interface World {
  readonly w: EngineWorld;
  readonly safe: MemorySecrets;
}

async function worldWith(options: WorldOptions = {}): Promise<World> {
  const safe = new MemorySecrets();
  safe.secrets.set('db#password', 'my-password').set('db#other', 'other-password');
  const w = new EngineWorld({ secretResolvers: [safe], secretRules: RULES, ...options });
  await w.engine.start();
  return { w, safe };
}

function secretFlow(names: readonly string[], more: Partial<FlowDefinition> = {}): FlowDefinition {
  return { ...chain(names), input: INPUT, ...more };
}

describe('a secret by reference', () => {
  it('is stored as it is, and fetched for each command anew, on both ways', async () => {
    const { safe, w } = await worldWith();
    w.commands.scripts.set('m.a', () => {
      safe.secrets.set('db#password', 'next-password');
      return done({ said: 'with my-password' });
    });
    w.commands.scripts.set('m.b', () => fails('next-password is wrong'));
    const task = await w.submit(secretFlow(['a', 'b']), { pw: PLACE, size: 3 });
    expect(statusName(task.status)).toBe('rolled_back');
    expect(task.plan.parameters).toEqual({ pw: PLACE, size: 3 });
    expect(task.runs[0]?.normal.output).toEqual({ said: 'with ***' });
    expect(task.message).toContain('*** is wrong');
    expect(JSON.stringify(task)).not.toMatch(/my-password|next-password/);
    const given = w.commands.contexts.map(({ parameters }) => parameters['pw']);
    const next = 'next-password';
    expect(given).toEqual(['my-password', next, next, next]);
    await w.engine.stop();
  });

  it.each([
    [['memory:*'], true],
    [['memory:db'], true],
    [['memory:db#password'], true],
    [['memory:d*'], true],
    [['memory:db#other'], false],
    [['memory:d'], false],
    [['memory:db/*'], false],
    [['vault:*'], false],
    [[], false],
  ])('goes to a module by the rules alone: %j', async (secrets, isAllowed) => {
    const secretRules = [
      { module: 'other', secrets: ['memory:*'] },
      { module: 'm', secrets },
    ];
    const { safe, w } = await worldWith({ secretRules });
    const task = await w.submit(secretFlow(['a', 'b']), { pw: PLACE });
    expect(statusName(task.status)).toBe(isAllowed ? 'succeeded' : 'rolled_back');
    if (!isAllowed) {
      expect(w.commands.calls).toEqual([]);
      expect(safe.asked).toEqual([]);
      expect(task.turned?.cause?.code).toBe('SECRET_NOT_ALLOWED');
      expect(task.message).toContain('memory:db#password');
    }
    await w.engine.stop();
  });

  it('that is not there fails the step for good, which is not undone', async () => {
    const { safe, w } = await worldWith();
    safe.secrets.delete('db#password');
    const task = await w.submit(secretFlow(['a']), { pw: PLACE });
    expect(task.turned?.cause?.code).toBe('SECRET_NOT_FOUND');
    expect(task.message).toContain('memory:db#password');
    expect(w.commands.calls).toEqual([]);
    expect(task.runs[0]?.normal.refused).toBe(1);
    await w.engine.stop();
  });

  it('is waited for while its store is away, however long, and costs no attempt', async () => {
    const { safe, w } = await worldWith();
    safe.isAway = true;
    const { plan } = await w.submit(secretFlow(['a']), { pw: PLACE });
    for (let nth = 0; nth < 12; nth += 1) {
      await w.clock.advance(61_000);
      await settle();
    }
    const waiting = await w.task(plan.taskId);
    expect(waiting.runs[0]?.normal).toMatchObject({ spent: 0, state: 'waiting' });
    expect(waiting.runs[0]?.normal.message).toContain('memory is away');
    expect(w.observer.notices.map(({ name }) => name)).toContain('secret_store_away');
    safe.isAway = false;
    await w.clock.advance(61_000);
    await settle();
    expect(statusName((await w.task(plan.taskId)).status)).toBe('succeeded');
    expect(w.commands.calls).toEqual(['a:normal']);
    await w.engine.stop();
  });

  it('is not waited for without end by one attempt, where nothing ever answers', async () => {
    const signals: boolean[] = [];
    const deaf: SecretResolver = {
      name: 'memory',
      resolve: (_, signal) => {
        signal.addEventListener('abort', () => signals.push(signal.aborted));
        return new Promise(() => {});
      },
    };
    const { w } = await worldWith({ secretResolvers: [deaf] });
    const { plan } = await w.submit(secretFlow(['a']), { pw: PLACE });
    await w.clock.advance(5_000);
    await settle();
    const { normal } = (await w.task(plan.taskId)).runs[0]!;
    expect(normal).toMatchObject({ state: 'waiting', spent: 0 });
    expect(normal.message).toContain(
      'the resolver did not answer for memory:db#password within 5000 ms',
    );
    expect(signals).toEqual([true]);
    await w.engine.stop();
  });

  it('is waited for where its resolver fails, whose words are not told', async () => {
    const broken: SecretResolver = {
      name: 'memory',
      resolve: () => Promise.reject(new SyntaxError('no JSON: my-password')),
    };
    const { w } = await worldWith({ secretResolvers: [broken] });
    const task = await w.submit(secretFlow(['a']), { pw: PLACE });
    const { message, state } = task.runs[0]!.normal;
    expect(state).toBe('waiting');
    expect(message).toContain('failed with SyntaxError');
    expect(JSON.stringify([task, w.observer.notices])).not.toContain('my-password');
    await w.engine.stop();
  });

  it('is known to child tasks, to expressions and to a person who changes it', async () => {
    const { w } = await worldWith();
    const child = flow([{ name: 'c', needs: [], normal: action('m.c'), rollback: null }], {
      name: 'child',
    });
    await w.store.saveFlow(child, 'child', 1_000);
    const parameters = { again: '{% made %}' };
    const parent = flow(
      [
        { name: 'make', needs: [], set: { made: '{% pw %}' }, rollback: null },
        { name: 'sub', needs: [0], flow: { name: 'child', version: null, parameters } },
      ],
      { name: 'parent', input: INPUT },
    );
    await w.submit(parent, { pw: PLACE });
    await w.clock.advance(1_000);
    await settle();
    expect(w.commands.contexts[0]?.parameters).toEqual({ again: 'my-password' });

    w.commands.scripts.set('m.h', () => fails());
    const held = secretFlow(['h'], { name: 'held', onFailure: { holdMs: null } });
    await w.store.saveFlow(held, 'held', 1_000);
    const { plan } = await w.submit(held, {});
    const edit = { kind: 'retry_requested', parameters: { other: OTHER }, ...PERSON } as const;
    await w.engine.operate(plan.taskId, edit);
    await settle();
    expect(w.commands.contexts.at(-1)?.parameters).toEqual({ other: 'other-password' });
    await w.engine.stop();
  });

  it('may be written into a flow', async () => {
    const { w } = await worldWith();
    const normal = action('m.a', { parameters: { root: { password: PLACE } } });
    await w.submit(flow([{ name: 'a', needs: [], normal, rollback: null }]));
    expect(w.commands.contexts[0]?.parameters).toEqual({ root: { password: 'my-password' } });
    await w.engine.stop();
  });

  it('is data where a command gives it back: nothing is fetched that nobody gave', async () => {
    const { safe, w } = await worldWith();
    w.commands.scripts.set('m.a', () => done({ planted: OTHER, same: PLACE }));
    await w.submit(secretFlow(['a', 'b']), { pw: PLACE });
    expect(w.commands.contexts[1]?.parameters).toEqual({
      pw: 'my-password',
      planted: OTHER,
      same: 'my-password',
    });
    expect(safe.asked).not.toContain(OTHER.$secret);
    await w.engine.stop();
  });

  it('stands beside one that is sealed', async () => {
    const { w } = await worldWith({ secrets: new PlainSecrets() });
    const task = await w.submit(secretFlow(['a']), { pw: PLACE, other: 'sealed-password' });
    expect(w.commands.contexts[0]?.parameters).toEqual({
      pw: 'my-password',
      other: 'sealed-password',
    });
    expect(JSON.stringify(task)).not.toMatch(/my-password|sealed-password/);
    await w.engine.stop();
  });

  it('is not shown to an alert, nor fetched for it', async () => {
    const { safe, w } = await worldWith();
    w.commands.scripts.set('m.b', () => fails());
    w.commands.scripts.set('m.undo_a', () => fails());
    await w.submit(secretFlow(['a', 'b']), { pw: PLACE });
    for (let n = 0; n < 10; n += 1) await settle();
    const alert = w.commands.contexts.find(({ command }) => command === 'raise_alert');
    expect(alert?.parameters).toMatchObject({ step: 'a' });
    expect(alert?.parameters).not.toHaveProperty('pw');
    expect(safe.asked).toHaveLength(4);
    await w.engine.stop();
  });
});
