import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, isAlertTask, type Outcome, type Task } from '#core';
import { transition } from '#core/transitions';
import { chain, EngineWorld, fails, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

/** A task whose rollback has failed, and whose alert has this outcome at each attempt. */
async function stuck(w: EngineWorld, outcome: () => Outcome): Promise<Task> {
  w.commands.scripts.set('m.b', () => fails());
  w.commands.scripts.set('m.undo_a', () => fails());
  w.commands.scripts.set('monitor.raise_alert', outcome);
  const { plan } = await w.submit(chain(['a', 'b']));
  await quiet();
  return w.task(plan.taskId);
}

async function quiet(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await settle();
}

function alertOf(w: EngineWorld): Task | undefined {
  return [...w.store.contents.tasks.values()].find(({ plan }) => isAlertTask(plan.parent));
}

function callsOf(w: EngineWorld): number {
  return w.commands.calls.filter((call) => call === 'alert:normal').length;
}

async function pass(w: EngineWorld, ms: number): Promise<void> {
  await w.clock.advance(ms);
  await w.engine.governance.tick();
  await quiet();
}

describe('an alert task', () => {
  it.each<[string, Outcome]>([
    ['fails for good', fails('no such channel')],
    ['asks for a long wait', { ...fails('later', false), afterMs: 3_600_000 } as Outcome],
    ['leaves its end to others', { kind: 'completes_later', timeoutMs: null }],
  ])('is tried again within a minute where its command %s', async (_, outcome) => {
    const w = await world();
    await stuck(w, () => outcome);
    expect(callsOf(w)).toBe(1);
    await pass(w, 60_000);
    expect(callsOf(w)).toBeGreaterThan(1);
    expect(alertOf(w)).toMatchObject({ outcome: null, way: 'forward' });
  });

  it('ends by itself where a process died before it could end it', async () => {
    const w = await world();
    const task = await stuck(w, () => fails());
    const act = { actor: 'ann', reason: 'done by hand', key: null };
    const event = { kind: 'terminate_requested', ...act } as const;
    const moment = { now: w.clock.now(), chance: 0, timing: DEFAULT_TIMING };
    const decision = transition(task, event, { moment });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    expect(decision.effects).toMatchObject([{ kind: 'end_alert' }]);
    await w.store.commit(task, decision.task);
    for (let n = 0; n < 3; n += 1) await pass(w, 60_000);
    expect(alertOf(w)).toMatchObject({ outcome: 'terminated' });
    const calls = callsOf(w);
    await pass(w, 600_000);
    expect(callsOf(w)).toBe(calls);
  });

  it('that a person has answered tells of no later failure', async () => {
    const w = await world();
    const { plan } = await stuck(w, () => fails());
    const first = alertOf(w);
    const act = { actor: 'ann', reason: 'mended', key: 'k' };
    await w.engine.operate(plan.taskId, { kind: 'retry_requested', ...act });
    await quiet();
    expect(await w.task(first?.plan.taskId ?? '')).toMatchObject({ outcome: 'terminated' });
    await pass(w, 10_000);
    const { alert } = await w.task(plan.taskId);
    expect(alert).toMatchObject({ number: 2 });
    expect(alert?.taskId).not.toBe(first?.plan.taskId);
  });
});
