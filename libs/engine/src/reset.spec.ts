import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_LIMITS,
  type JsonObject,
  NO_RETRY,
  statusName,
  type StepPlan,
  type Task,
} from '#core';
import { runIdOf } from '#core/scopes';
import { action, chain, done, EngineWorld, fails, flow, settle } from '#testing';

const PERSON = { actor: 'ann', reason: 'why', key: null } as const;

function reset(
  w: EngineWorld,
  task: Task,
  asked: string | { readonly to: string; readonly parameters: JsonObject },
) {
  const about = typeof asked === 'string' ? { to: asked } : asked;
  const event = { kind: 'reset_requested', ...about, ...PERSON } as const;
  return w.engine.operate(task.plan.taskId, event);
}

/** A chain that has succeeded, and what was called since. */
async function succeeded(names: readonly string[], parameters: JsonObject = {}) {
  const w = new EngineWorld();
  await w.engine.start();
  const task = await w.submit(chain(names), parameters);
  expect(statusName(task.status)).toBe('succeeded');
  w.commands.calls.length = 0;
  return { w, task };
}

const idsOf = (task: Task) => task.runs.map((_, place) => runIdOf(task, place));

describe('a reset', () => {
  it('undoes the step and what needs it, last first, and does them anew', async () => {
    const { task, w } = await succeeded(['a', 'b', 'c', 'd']);
    await reset(w, task, 'b');
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(w.commands.calls).toEqual([
      ...['d:rollback', 'c:rollback', 'b:rollback'],
      ...['b:normal', 'c:normal', 'd:normal'],
    ]);
    expect(statusName(after.status)).toBe('succeeded');
    expect(idsOf(after)).toEqual(['a', 'b~2', 'c~2', 'd~2']);
    await w.engine.stop();
  });

  it('gives each run keys of its own, and undoes each by the keys that it had', async () => {
    const { task, w } = await succeeded(['a']);
    await reset(w, task, 'a');
    await settle();
    await reset(w, task, 'a');
    await settle();
    const keys = w.commands.contexts.map((context) => context.idempotencyKey);
    const id = task.plan.taskId;
    expect(keys).toEqual([
      `${id}:a:normal`,
      `${id}:a:rollback`,
      `${id}:a~2:normal`,
      `${id}:a~2:rollback`,
      `${id}:a~3:normal`,
    ]);
    await w.engine.stop();
  });

  it('of a running task calls off what runs in its part alone', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    const step = (name: string, needs: number[]): StepPlan => {
      return { name, needs, normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
    };
    let finish = (): void => {};
    const aborted: string[] = [];
    const untilAborted = (context: { step: string; signal: { aborted: boolean } }) =>
      new Promise<ReturnType<typeof done>>((resolve) => {
        const signal = context.signal as AbortSignal;
        signal.addEventListener('abort', () => {
          aborted.push(context.step);
          resolve(fails('stopped'));
        });
        if (context.step === 'other') finish = () => resolve(done());
      });
    w.commands.scripts.set('m.late', (context, calls) =>
      calls === 0 ? untilAborted(context) : done(),
    );
    w.commands.scripts.set('m.other', (context) => untilAborted(context));
    const task = await w.submit(flow([step('first', []), step('late', [0]), step('other', [])]));
    w.commands.calls.length = 0;
    await reset(w, task, 'first');
    await settle();
    expect(aborted).toEqual(['late']);
    finish();
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(w.commands.calls).toEqual([
      ...['late:rollback', 'first:rollback', 'first:normal', 'late:normal'],
    ]);
    expect(statusName(after.status)).toBe('succeeded');
    expect(idsOf(after)).toEqual(['first~2', 'late~2', 'other']);
    await w.engine.stop();
  });

  it('leaves a step beside its part that is just being undone to its undoing', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    const both = (name: string) => {
      return { needs: [], normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
    };
    let undone = (): void => {};
    w.commands.scripts.set('m.beside', () => fails());
    w.commands.scripts.set(
      'm.undo_beside',
      () => new Promise((resolve) => (undone = () => resolve(done()))),
    );
    const beside: StepPlan = { name: 'beside', optional: true, ...both('beside') };
    const task = await w.submit(flow([{ name: 'a', ...both('a') }, beside]));
    w.commands.calls.length = 0;
    await reset(w, task, 'a');
    await settle();
    undone();
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(w.commands.calls).toEqual(['a:rollback', 'a:normal']);
    expect(idsOf(after)).toEqual(['a~2', 'beside']);
    expect(after.runs[1]?.normal.state).toBe('skipped');
    expect(statusName(after.status)).toBe('succeeded');
    await w.engine.stop();
  });

  it('of a rolled-back task begins with all that was undone', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    w.commands.scripts.set('m.b', (_, calls) => (calls === 0 ? fails() : done()));
    const task = await w.submit(chain(['a', 'b', 'c']));
    expect(statusName(task.status)).toBe('rolled_back');
    await reset(w, task, 'b');
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(statusName(after.status)).toBe('succeeded');
    expect(idsOf(after)).toEqual(['a~2', 'b~2', 'c']);
    expect(after.message).toBeNull();
    await w.engine.stop();
  });

  it('waits for a person where a rollback fails, and goes forward once that is retried', async () => {
    const { task, w } = await succeeded(['a', 'b']);
    w.commands.scripts.set('m.undo_b', (_, calls) => (calls === 0 ? fails() : done()));
    await reset(w, task, 'b');
    await settle();
    const held = await w.task(task.plan.taskId);
    expect(statusName(held.status)).toBe('rollback_failed');
    const { taskId } = task.plan;
    await w.engine.operate(taskId, { kind: 'retry_requested', ...PERSON });
    await settle();
    const after = await w.task(taskId);
    expect(statusName(after.status)).toBe('succeeded');
    expect(idsOf(after)).toEqual(['a', 'b~2']);
    await w.engine.stop();
  });

  it('turns into a rollback of everything where the rest of the task fails meanwhile', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    const step = (name: string): StepPlan => {
      return { name, needs: [], normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
    };
    let fail = (): void => {};
    let undo = (): void => {};
    w.commands.scripts.set('m.other', () => new Promise((r) => (fail = () => r(fails()))));
    w.commands.scripts.set('m.undo_a', () => new Promise((r) => (undo = () => r(done()))));
    const task = await w.submit(flow([step('a'), step('other')]));
    await reset(w, task, 'a');
    await settle();
    fail();
    await settle();
    undo();
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(statusName(after.status)).toBe('rolled_back');
    expect(idsOf(after)).toEqual(['a', 'other']);
    await w.engine.stop();
  });

  it('gives the task all of its time once more', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    const definition = { ...chain(['a']), timeoutMs: 60_000 };
    const { plan } = await w.submit(definition);
    await w.clock.advance(90_000);
    let finish = (): void => {};
    w.commands.scripts.set('m.a', () => new Promise((r) => (finish = () => r(done()))));
    await reset(w, await w.task(plan.taskId), 'a');
    await w.clock.advance(30_000);
    expect(statusName((await w.task(plan.taskId)).status)).toBe('running');
    finish();
    await settle();
    expect(statusName((await w.task(plan.taskId)).status)).toBe('succeeded');
    await w.engine.stop();
  });

  it('of a group undoes the scope that it held, and enters one anew', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    const [a, b] = chain(['a', 'b']).steps as [StepPlan, StepPlan];
    const group: StepPlan = {
      name: 'g',
      needs: [0],
      group: chain(['x', 'y']).steps,
      retry: NO_RETRY,
      timeoutMs: null,
    };
    const task = await w.submit(flow([a, group, { ...b, needs: [1] }]));
    expect(idsOf(task)).toEqual(['a', 'g', 'b', 'g#1/x', 'g#1/y']);
    w.commands.calls.length = 0;
    const inner = await reset(w, task, 'g#1/x');
    expect(inner).toMatchObject({
      kind: 'refused',
      code: 'ILLEGAL_ACTION',
      message: 'reset needs a step of the task itself; g#1/x is inside g',
    });
    await reset(w, task, { to: 'g', parameters: { size: 2 } });
    await settle();
    const after = await w.task(task.plan.taskId);
    expect(w.commands.calls).toEqual([
      ...['b:rollback', 'y:rollback', 'x:rollback'],
      ...['x:normal', 'y:normal', 'b:normal'],
    ]);
    expect(statusName(after.status)).toBe('succeeded');
    expect(idsOf(after)).toEqual(['a', 'g~2', 'b~2', 'g~2#1/x', 'g~2#1/y']);
    expect(w.commands.contexts.at(-2)?.parameters).toEqual({ size: 2 });
    await w.engine.stop();
  });

  it('of a paused task waits until it is resumed', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    let finish = (): void => {};
    w.commands.scripts.set('m.b', (_, calls) =>
      calls === 0 ? new Promise((r) => (finish = () => r(done()))) : done(),
    );
    const task = await w.submit(chain(['a', 'b', 'c']));
    const { taskId } = task.plan;
    await w.engine.operate(taskId, { kind: 'pause_requested', ...PERSON });
    await reset(w, task, 'a');
    finish();
    await settle();
    const paused = await w.task(taskId);
    expect(statusName(paused.status)).toBe('paused');
    expect(idsOf(paused)).toEqual(['a', 'b', 'c']);
    expect(await reset(w, paused, 'a')).toMatchObject({ code: 'ILLEGAL_ACTION' });
    w.commands.calls.length = 0;
    await w.engine.operate(taskId, { kind: 'resume_requested', ...PERSON });
    await settle();
    const after = await w.task(taskId);
    expect(w.commands.calls).toEqual([
      ...['b:rollback', 'a:rollback', 'a:normal', 'b:normal', 'c:normal'],
    ]);
    expect(idsOf(after)).toEqual(['a~2', 'b~2', 'c']);
    await w.engine.stop();
  });

  it.each(['b', 'nowhere'])('to %s, which was not reached, is refused', async (to) => {
    const w = new EngineWorld();
    await w.engine.start();
    w.commands.scripts.set('m.a', () => new Promise(() => {}));
    const task = await w.submit(chain(['a', 'b']));
    const result = await reset(w, task, to);
    expect(result).toMatchObject({ kind: 'refused' });
    const stopped = w.engine.stop();
    await w.clock.advance(10_000);
    await stopped;
  });
});

describe('parameters that come with a reset', () => {
  it('are seen by the new runs, and not by those that began before nor by their undoing', async () => {
    const { task, w } = await succeeded(['a', 'b'], { size: 1 });
    w.commands.contexts.length = 0;
    await reset(w, task, { to: 'b', parameters: { size: 2, zone: 'x' } });
    await settle();
    const { taskId } = task.plan;
    const seen = () => w.commands.contexts.map(({ parameters, run }) => [run, parameters]);
    expect(seen()).toEqual([
      ['b', { size: 1 }],
      ['b~2', { size: 2, zone: 'x' }],
    ]);
    const after = await w.task(taskId);
    expect(after.edits).toMatchObject([{ actor: 'ann', before: { size: 1 } }]);
    w.commands.contexts.length = 0;
    await reset(w, after, 'a');
    await settle();
    expect(seen()).toEqual([
      ['b~2', { size: 2, zone: 'x' }],
      ['a', { size: 1 }],
      ['a~2', { size: 2, zone: 'x' }],
      ['b~3', { size: 2, zone: 'x' }],
    ]);
    await w.engine.stop();
  });

  it('win over what steps gave before, and not over what they give after', async () => {
    const w = new EngineWorld();
    await w.engine.start();
    w.commands.scripts.set('m.a', () => done({ host: 'h1' }));
    w.commands.scripts.set('m.b', (_, calls) => done({ port: 1 + calls }));
    const task = await w.submit(chain(['a', 'b', 'c']));
    w.commands.contexts.length = 0;
    await reset(w, task, { to: 'b', parameters: { host: 'h2', port: 9 } });
    await settle();
    const last = w.commands.contexts.findLast(({ step }) => step === 'c');
    expect(last?.parameters).toEqual({ host: 'h2', port: 2 });
    expect(last?.results).toEqual({ a: { host: 'h1' }, b: { port: 2 } });
    await w.engine.stop();
  });

  it('are refused where the task cannot hold them', async () => {
    const w = new EngineWorld({ limits: { ...DEFAULT_LIMITS, contentBytes: 100 } });
    await w.engine.start();
    const task = await w.submit(chain(['a']));
    const result = await reset(w, task, { to: 'a', parameters: { text: 'x'.repeat(100) } });
    expect(result).toMatchObject({ kind: 'refused', code: 'TOO_LARGE' });
    expect((await w.task(task.plan.taskId)).revision).toBe(task.revision);
    await w.engine.stop();
  });
});
