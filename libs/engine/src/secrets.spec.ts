import { describe, expect, it } from '@jest/globals';
import { type FlowDefinition, type JsonObject, NO_RETRY, statusName } from '#core';
import { isSealed } from '#core/secrets';
import { action, chain, done, EngineWorld, fails, flow, PlainSecrets } from '#testing';
import { ScriptedCommands, settle, type WorldOptions } from '#testing';

const SECRET = { type: 'string', secret: true };
const INPUT = { properties: { pw: SECRET } };
const PARAMETERS = { pw: 'my-password', size: 3 };
const PERSON = { actor: 'ann', reason: 'why', key: null } as const;

function secretFlow(names: readonly string[], more: Partial<FlowDefinition> = {}): FlowDefinition {
  return { ...chain(names), input: INPUT, ...more };
}

async function worldWith(options: WorldOptions = {}): Promise<EngineWorld> {
  const w = new EngineWorld({ secrets: new PlainSecrets(), ...options });
  await w.engine.start();
  return w;
}

describe('a task with secrets', () => {
  it('keeps them sealed and gives them to its commands in clear, on both ways', async () => {
    const w = await worldWith();
    w.commands.scripts.set('m.b', () => fails('my-password is wrong'));
    const task = await w.submit(secretFlow(['a', 'b']), PARAMETERS);
    expect(statusName(task.status)).toBe('rolled_back');
    expect(JSON.stringify(task)).not.toContain('my-password');
    expect(isSealed(task.plan.parameters['pw'])).toBe(true);
    expect(task.message).toContain('*** is wrong');
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal', 'b:rollback', 'a:rollback']);
    expect(w.commands.contexts.map(({ parameters }) => parameters)).toEqual(
      w.commands.calls.map(() => PARAMETERS),
    );
    await w.engine.stop();
  });

  it('seals what a command gives as secret, for the steps after it and its rollback', async () => {
    const w = await worldWith();
    w.commands.secrets.set('m.a', ['token']);
    w.commands.scripts.set('m.a', () => done({ token: 'issued-token', id: 1 }));
    w.commands.scripts.set('m.b', () => fails());
    const task = await w.submit(chain(['a', 'b']));
    expect(task.hasSecrets).toBe(true);
    expect(JSON.stringify(task)).not.toContain('issued-token');
    const [, second, , back] = w.commands.contexts;
    expect(second?.parameters).toEqual({ token: 'issued-token', id: 1 });
    expect(second?.results).toEqual({ a: { token: 'issued-token', id: 1 } });
    expect(back?.output).toEqual({ token: 'issued-token', id: 1 });
    await w.engine.stop();
  });

  it('seals what a person sends in the place of one that a command gave', async () => {
    const w = await worldWith();
    w.commands.secrets.set('m.a', ['token']);
    w.commands.scripts.set('m.a', () => done({ token: 'issued-token', id: 1 }));
    w.commands.scripts.set('m.b', (_, calls) => (calls === 0 ? fails() : done()));
    const { plan } = await w.submit({ ...chain(['a', 'b']), onFailure: { holdMs: null } });
    const parameters = { token: 'another-token', id: 2 };
    await w.engine.operate(plan.taskId, { kind: 'retry_requested', parameters, ...PERSON });
    await settle();
    expect(w.commands.contexts.at(-1)?.parameters).toEqual(parameters);
    const task = await w.task(plan.taskId);
    expect(JSON.stringify(task)).not.toContain('another-token');
    expect(task.edits[0]?.values['id']).toBe(2);
    await w.engine.stop();
  });

  it('hands them on to child tasks and to what these give back', async () => {
    const w = await worldWith();
    const child = { ...secretFlow(['c']), name: 'child' };
    await w.store.saveFlow(child, 'child', 1_000);
    const parent = flow(
      [
        { name: 'sub', needs: [], flow: { name: 'child', version: null, parameters: PARAMETERS } },
        { name: 'use', needs: [0], normal: action('m.use'), rollback: null },
      ],
      { name: 'parent' },
    );
    const task = await w.submit(parent);
    await w.clock.advance(1_000);
    await settle();
    const [first] = w.commands.contexts;
    expect(first?.parameters).toEqual(PARAMETERS);
    const stored = await w.task(first?.taskId ?? '');
    expect(stored.hasSecrets).toBe(true);
    expect(isSealed(stored.plan.parameters['pw'])).toBe(true);
    expect(stored.plan.parent?.taskId).toBe(task.plan.taskId);
    await w.engine.stop();
  });

  it('seals what a person changes, and what they give in the place of a command', async () => {
    const w = await worldWith();
    await w.store.saveFlow(secretFlow(['a', 'b'], { onFailure: { holdMs: null } }), 'h', 1_000);
    w.commands.secrets.set('m.b', ['token']);
    w.commands.scripts.set('m.b', () => fails());
    const task = await w.submit(
      secretFlow(['a', 'b'], { onFailure: { holdMs: null } }),
      PARAMETERS,
    );
    const { taskId } = task.plan;
    const parameters: JsonObject = { pw: 'another-password' };
    await w.engine.operate(taskId, { kind: 'retry_requested', parameters, ...PERSON });
    await settle();
    expect(w.commands.contexts.at(-1)?.parameters).toMatchObject(parameters);
    const output = { token: 'given-token', id: 2 };
    await w.engine.operate(taskId, { kind: 'skip_requested', step: 'b', output, ...PERSON });
    await settle();
    const after = await w.task(taskId);
    expect(statusName(after.status)).toBe('succeeded');
    expect(JSON.stringify(after)).not.toMatch(/another-password|given-token|my-password/);
    await w.engine.stop();
  });

  it('are masked in the reason that somebody outside gives for a failure', async () => {
    const w = await worldWith();
    w.commands.scripts.set('m.a', () => ({ kind: 'completes_later', timeoutMs: null }));
    const { plan } = await w.submit(secretFlow(['a'], { onFailure: { holdMs: null } }), PARAMETERS);
    const { taskId } = plan;
    const message = 'my-password is wrong';
    const failure = { terminal: true, failure: 'FAILED', message } as const;
    const attempt = { direction: 'normal', step: 0, attempt: 1 } as const;
    const event = { kind: 'completed', ...attempt, ...PERSON, result: { failure } } as const;
    await w.engine.operate(taskId, event);
    const task = await w.task(taskId);
    expect(task.runs[0]?.normal.message).toContain(' is wrong');
    expect(JSON.stringify(task)).not.toContain('my-password');
    await w.engine.stop();
  });

  it('seals what is given for a step before the only one, and opens it for that one', async () => {
    const w = await worldWith();
    w.commands.secrets.set('m.a', ['token']);
    const only = { step: 'b', given: { a: { token: 'given-token', id: 1 } } };
    const flowOfTask = { definition: chain(['a', 'b']), version: 1 };
    const { task } = await w.engine.submit(flowOfTask, { parameters: {}, only });
    await settle();
    expect(task.hasSecrets).toBe(true);
    expect(JSON.stringify(await w.task(task.plan.taskId))).not.toContain('given-token');
    expect(w.commands.contexts[0]?.parameters).toEqual({ token: 'given-token', id: 1 });
    const sealedFor = task.plan.taskId;
    const again = { parameters: {}, only: task.plan.only, sealedFor };
    const anew = await w.engine.submit(flowOfTask, again);
    await settle();
    expect(JSON.stringify(anew.task)).not.toContain('given-token');
    expect(anew.task.plan.only).not.toEqual(task.plan.only);
    expect(w.commands.contexts[1]?.parameters).toEqual({ token: 'given-token', id: 1 });
    await w.engine.stop();
  });

  it('is refused while there is no key', async () => {
    const w = new EngineWorld();
    await expect(w.submit(secretFlow(['a']), PARAMETERS)).rejects.toThrow('BACKSTEP_SECRET_KEY');
    const plain = await w.submit(secretFlow(['a']), { size: 3 });
    expect(plain.hasSecrets).toBe(false);
  });

  it('waits for a process that has its key, and fails by none that has not', async () => {
    const w = await worldWith({ executor: false });
    const made = await w.submit(secretFlow(['a']), PARAMETERS);
    const shared = { store: w.store, transport: w.transport, clock: w.clock };
    const other = new EngineWorld({ ...shared, secrets: new PlainSecrets(['00000002']) });
    await other.engine.start();
    await w.clock.advance(60_000);
    await settle();
    expect(other.commands.calls).toEqual([]);
    expect(statusName((await w.task(made.plan.taskId)).status)).not.toBe('rolled_back');
    expect(other.observer.notices.map(({ name }) => name)).toContain('secret_key_missing');
    await other.engine.stop();
    const keys = new PlainSecrets(['00000002', '00000001']);
    const right = new EngineWorld({ ...shared, secrets: keys, settings: { owner: 'right' } });
    await right.engine.start();
    await w.clock.advance(600_000);
    await settle();
    expect(right.commands.contexts[0]?.parameters).toEqual(PARAMETERS);
    await right.engine.stop();
    await w.engine.stop();
  });

  it('fails before its command is entered where a sealed value is of another task', async () => {
    const w = await worldWith();
    const sealed = w.secrets.seal('of another', 'another-task');
    const request = { parameters: { pw: 'my-password', planted: sealed } };
    const { task } = await w.engine.submit({ definition: secretFlow(['a']), version: 1 }, request);
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(w.commands.calls).toEqual([]);
    expect(after.message).toContain('cannot be opened');
    expect(after.runs[0]?.normal.refused).toBe(1);
    await w.engine.stop();
  });

  it('is sealed anew where its parameters come from another task', async () => {
    const w = await worldWith();
    const parameters = { pw: w.secrets.seal('my-password', 'before'), size: 3 };
    const request = { parameters, sealedFor: 'before' };
    await w.engine.submit({ definition: secretFlow(['a']), version: 1 }, request);
    await settle();
    expect(w.commands.contexts[0]?.parameters).toEqual(PARAMETERS);
    await w.engine.stop();
  });

  it('is not looked through where it has none: what looks sealed is a plain text', async () => {
    const w = await worldWith();
    const text = w.secrets.seal('of another', 'another-task');
    await w.submit(chain(['a']), { text });
    expect(w.commands.contexts[0]?.parameters).toEqual({ text });
    await w.engine.stop();
  });

  it('shows an alert no parameters of the task', async () => {
    const commands = new ScriptedCommands();
    commands.scripts.set('m.b', () => fails());
    commands.scripts.set('m.undo_a', () => fails());
    const w = await worldWith({ commands });
    await w.submit(secretFlow(['a', 'b']), PARAMETERS);
    const alert = commands.contexts.find(({ command }) => command === 'raise_alert');
    expect(alert?.parameters).toMatchObject({ step: 'a' });
    expect(alert?.parameters).not.toHaveProperty('pw');
    await w.engine.stop();
  });
});

describe('an expression', () => {
  const set = (template: string) =>
    flow(
      [
        { name: 'make', needs: [], set: { made: template }, rollback: null },
        { name: 'use', needs: [0], normal: action('m.use', { retry: NO_RETRY }), rollback: null },
      ],
      { input: INPUT },
    );

  it('hands a secret on', async () => {
    const w = await worldWith();
    await w.submit(set('{% pw %}'), PARAMETERS);
    expect(w.commands.contexts[0]?.parameters).toMatchObject({ made: 'my-password' });
    await w.engine.stop();
  });
});
