import { describe, expect, it } from '@jest/globals';
import type { FlowDefinition, JsonObject, StepPlan, Task } from '#core';
import type { LockPlan } from '#core/flow';
import { action, chain, done, EngineWorld, fails, flow, ManualClock, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

const PERSON = { actor: 'ann', reason: 'because', key: null } as const;
const FLEET: LockPlan = { name: 'fleet', slots: 1 };

function locked(steps: readonly StepPlan[], locks: readonly LockPlan[] = [FLEET]): FlowDefinition {
  return flow(steps, { locks });
}

function step(name: string, more: Partial<StepPlan> = {}): StepPlan {
  const both = { normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
  return { name, needs: [], ...both, ...more } as StepPlan;
}

function waitFor(signal: string, needs: readonly number[] = []): StepPlan {
  const wait = { signal, timeoutMs: null, onTimeout: 'fail' } as const;
  return { name: 'w', needs, wait, rollback: null };
}

/** Lets everything happen that needs no time: one thing has another one happen. */
async function quiet(): Promise<void> {
  for (let n = 0; n < 40; n += 1) await settle();
}

/** A command that goes on until it is let go. */
function held(w: EngineWorld, name: string): () => void {
  const waiting: (() => void)[] = [];
  w.commands.scripts.set(name, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return done();
  });
  return () => waiting.shift()?.();
}

async function submit(
  w: EngineWorld,
  definition: FlowDefinition,
  parameters: JsonObject = {},
): Promise<() => Promise<Task>> {
  const { plan } = await w.submit(definition, parameters);
  await quiet();
  return () => w.task(plan.taskId);
}

async function lineOf(w: EngineWorld, name = 'fleet'): Promise<readonly string[]> {
  const lines = await w.store.locks.listLines({ limit: 10 });
  return lines.find((line) => line.name === name)?.entries.map(({ taskId }) => taskId) ?? [];
}

describe('Locks of tasks', () => {
  it('let one task after the other go, in the order in which they came', async () => {
    const w = await world();
    const letGo = held(w, 'm.a');
    const tasks = [];
    for (let n = 0; n < 3; n += 1) tasks.push(await submit(w, locked(chain(['a']).steps)));
    const [first, second, third] = tasks;
    expect((await first!()).status).toBe(2);
    expect((await second!()).status).toBe(1);
    letGo();
    await quiet();
    expect((await first!()).outcome).toBe('succeeded');
    expect((await second!()).status).toBe(2);
    expect((await third!()).status).toBe(1);
    letGo();
    await quiet();
    letGo();
    await quiet();
    expect((await third!()).outcome).toBe('succeeded');
    expect(await lineOf(w)).toEqual([]);
  });

  it('are held by as many as they have slots', async () => {
    const w = await world();
    held(w, 'm.a');
    const two = locked(chain(['a']).steps, [{ name: 'fleet', slots: 2 }]);
    const tasks = [await submit(w, two), await submit(w, two), await submit(w, two)];
    const statuses = await Promise.all(tasks.map(async (task) => (await task()).status));
    expect(statuses).toEqual([2, 2, 1]);
  });

  it('are held until all of the way back is done', async () => {
    const w = await world();
    const letGo = held(w, 'm.undo_a');
    w.commands.scripts.set('m.b', () => fails());
    const first = await submit(w, locked(chain(['a', 'b']).steps));
    const second = await submit(w, locked(chain(['a']).steps));
    expect((await first()).status).toBe(3);
    expect((await second()).status).toBe(1);
    letGo();
    await quiet();
    expect((await first()).outcome).toBe('rolled_back');
    expect((await second()).outcome).toBe('succeeded');
  });

  it('are taken once more before a task that succeeded is undone', async () => {
    const w = await world();
    const first = await submit(w, locked(chain(['a']).steps));
    const letGo = held(w, 'm.b');
    const second = await submit(w, locked(chain(['b']).steps));
    await w.engine.operate((await first()).plan.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal']);
    expect((await first()).status).toBe(3);
    letGo();
    await quiet();
    expect((await second()).outcome).toBe('succeeded');
    expect((await first()).outcome).toBe('rolled_back');
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal', 'a:rollback']);
  });

  it('are free when a task was terminated, or rolled back while it waited', async () => {
    const w = await world();
    held(w, 'm.a');
    const first = await submit(w, locked(chain(['a']).steps));
    const second = await submit(w, locked(chain(['a']).steps));
    const third = await submit(w, locked(chain(['b']).steps));
    await w.engine.operate((await second()).plan.taskId, { kind: 'rollback_requested', ...PERSON });
    await quiet();
    expect((await second()).outcome).toBe('rolled_back');
    expect(await lineOf(w)).toHaveLength(2);
    await w.engine.operate((await first()).plan.taskId, { kind: 'terminate_requested', ...PERSON });
    await quiet();
    expect((await third()).outcome).toBe('succeeded');
    expect(await lineOf(w)).toEqual([]);
  });

  it('are waited for while a task is paused, and it starts once it is resumed', async () => {
    const w = await world();
    const letGo = held(w, 'm.a');
    await submit(w, locked(chain(['a']).steps));
    const second = await submit(w, locked(chain(['b']).steps));
    const { taskId } = (await second()).plan;
    await w.engine.operate(taskId, { kind: 'pause_requested', ...PERSON });
    letGo();
    await quiet();
    expect(w.commands.calls).toEqual(['a:normal']);
    await w.engine.operate(taskId, { kind: 'resume_requested', ...PERSON });
    await quiet();
    expect((await second()).outcome).toBe('succeeded');
  });

  it('are told by expressions, which fail the task where they come to no name', async () => {
    const w = await world();
    const named = locked(chain(['a']).steps, [{ name: '{% region %}', slots: 1 }]);
    const first = await submit(w, named, { region: 'eu' });
    expect((await first()).outcome).toBe('succeeded');
    const taken = (await first()).journal.entries().find(({ kind }) => kind === 'locks_taken');
    expect(taken?.message).toBe('eu');
    const second = await submit(w, named, { region: 7 });
    expect((await second()).outcome).toBe('rolled_back');
    expect((await second()).turned?.cause?.code).toBe('EXPRESSION_FAILED');
  });
});

describe('Locks of steps', () => {
  it('are held while the step runs, and let go with it', async () => {
    const w = await world();
    const letGo = held(w, 'm.b');
    const steps = [step('a'), step('b', { needs: [0], locks: [FLEET] }), step('c', { needs: [1] })];
    const letGoC = held(w, 'm.c');
    const first = await submit(w, flow(steps));
    const second = await submit(w, flow(steps));
    expect((await second()).runs.map(({ normal }) => normal.state)).toEqual([
      'succeeded',
      'pending',
      'pending',
    ]);
    letGo();
    await quiet();
    expect((await first()).runs[2]?.normal.state).toBe('running');
    expect((await second()).runs[1]?.normal.state).toBe('running');
    letGo();
    letGoC();
    await quiet();
    expect(await lineOf(w)).toEqual([]);
  });

  it('are held while the step is undone, also where others came between', async () => {
    const w = await world();
    const letGo = held(w, 'm.x');
    w.commands.scripts.set('m.c', () => fails());
    const steps = [step('b', { locks: [FLEET] }), waitFor('go', [0]), step('c', { needs: [1] })];
    const first = await submit(w, flow(steps));
    await submit(w, flow([step('x', { locks: [FLEET] })]));
    const signal = { kind: 'signal_received', ...PERSON, name: 'go', payload: {} } as const;
    await w.engine.operate((await first()).plan.taskId, signal);
    await quiet();
    expect((await first()).status).toBe(3);
    expect(w.commands.calls).not.toContain('b:rollback');
    letGo();
    await quiet();
    expect((await first()).outcome).toBe('rolled_back');
    expect(w.commands.calls.at(-1)).toBe('b:rollback');
    expect(await lineOf(w)).toEqual([]);
  });

  it('are not kept for a step beside the part that a reset undoes, which may need them', async () => {
    const w = await world();
    const letGo = held(w, 'm.x');
    const a = step('a', { locks: [FLEET] });
    const first = await submit(
      w,
      flow([a, waitFor('go'), step('b', { needs: [1], locks: [FLEET] })]),
    );
    await submit(w, flow([step('x', { locks: [FLEET] })]));
    const { taskId } = (await first()).plan;
    await w.engine.operate(taskId, { kind: 'signal_received', ...PERSON, name: 'go', payload: {} });
    await quiet();
    expect((await first()).runs[2]?.normal.state).toBe('pending');
    await w.engine.operate(taskId, { kind: 'reset_requested', ...PERSON, to: 'a' });
    await quiet();
    letGo();
    await quiet();
    expect((await first()).outcome).toBe('succeeded');
    expect(w.commands.calls).toEqual([
      'a:normal',
      'x:normal',
      'a:rollback',
      'a:normal',
      'b:normal',
    ]);
    expect(await lineOf(w)).toEqual([]);
  });

  it('need not be waited for where the task, or a step around, holds them', async () => {
    const w = await world();
    const inner = step('b', { locks: [FLEET] });
    const group: StepPlan = {
      name: 'g',
      needs: [],
      group: [inner],
      retry: { attempts: 1, backoff: 'none', delayMs: 0, maxDelayMs: null, jitter: false },
      timeoutMs: null,
      locks: [FLEET],
    };
    const task = await submit(w, locked([group]));
    expect((await task()).outcome).toBe('succeeded');
  });
});

describe('What was lost of locks', () => {
  it('is found: a place whose task has ended is taken out of the line', async () => {
    const w = await world();
    const first = await submit(w, locked(chain(['a']).steps));
    const { taskId } = (await first()).plan;
    const number =
      (await first()).journal.entries().find(({ kind }) => kind === 'waits_for_locks')?.seq ?? 0;
    await w.store.locks.enter({ name: 'fleet', taskId, number, slots: 1, since: 0 });
    const second = await submit(w, locked(chain(['b']).steps));
    expect((await second()).status).toBe(1);
    await w.clock.advance(6_000);
    await quiet();
    expect((await second()).outcome).toBe('succeeded');
  });

  it('is found: tasks that have ended wait for no lock, however many stand in line', async () => {
    const w = await world();
    held(w, 'm.h');
    const ended = [];
    for (let n = 0; n < 18; n += 1) ended.push((await submit(w, chain(['a'])))());
    const holder = await submit(w, locked(chain(['h']).steps));
    for (const { journalSeq, plan } of await Promise.all(ended)) {
      for (let number = 1; number <= journalSeq; number += 1) {
        const { taskId } = plan;
        await w.store.locks.enter({ name: 'fleet', taskId, number, slots: 1, since: 0 });
      }
    }
    expect((await lineOf(w)).length).toBeGreaterThan(50);
    for (let n = 0; n < 3; n += 1) {
      await w.clock.advance(6_000);
      await quiet();
    }
    expect(await lineOf(w)).toEqual([(await holder()).plan.taskId]);
  });

  it('is found: a task was ended by a build that knows of no locks', async () => {
    const w = await world();
    const letGo = held(w, 'm.a');
    const first = await submit(w, locked(chain(['a']).steps));
    const { locks, plan } = await first();
    const leave = w.store.locks.leave.bind(w.store.locks);
    w.store.locks.leave = () => Promise.resolve([]);
    letGo();
    await quiet();
    w.store.contents.tasks.set(plan.taskId, { ...(await first()), locks });
    const second = await submit(w, locked(chain(['b']).steps));
    expect((await second()).status).toBe(1);
    w.store.locks.leave = leave;
    await w.clock.advance(6_000);
    await quiet();
    expect((await second()).outcome).toBe('succeeded');
    await w.engine.operate(plan.taskId, { kind: 'undo_requested', ...PERSON });
    await quiet();
    expect((await first()).outcome).toBe('rolled_back');
    expect(await lineOf(w)).toEqual([]);
  });

  it('is found: a task that holds a lock and was not told goes on', async () => {
    const clock = new ManualClock();
    const w = await world({ clock });
    const letGo = held(w, 'm.a');
    await submit(w, locked(chain(['a']).steps));
    const second = await submit(w, locked(chain(['b']).steps));
    const leave = w.store.locks.leave.bind(w.store.locks);
    w.store.locks.leave = async (place) => (await leave(place), []);
    letGo();
    await quiet();
    expect((await second()).status).toBe(1);
    await clock.advance(6_000);
    await quiet();
    expect((await second()).outcome).toBe('succeeded');
  });
});
