import { describe, expect, it } from '@jest/globals';
import { type FlowDefinition, type RetryPolicy, statusName, type Task } from '#core';
import { action, chain, type EngineWorld, fails, flow, ScriptedCommands, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

const HOUR_MS = 3_600_000;
/** An executor is known, and what waits for it is sent, within this. */
const SOON_MS = 4_000;
/** The longest time between two looks at an action whose command nobody has. */
const LOOK_MS = 60_000;

const LATER: RetryPolicy = {
  attempts: 2,
  backoff: 'fixed',
  delayMs: 1_000,
  maxDelayMs: null,
  jitter: false,
};

stopWorlds();

/** An executor of a build that has not all commands, on the store of a gateway. */
function older({ clock, store, transport }: EngineWorld, ...lacks: readonly string[]) {
  const commands = new ScriptedCommands();
  for (const name of lacks) commands.lacks.add(name);
  return world({
    clock,
    commands,
    settings: { owner: 'older' },
    governance: false,
    store,
    transport,
  });
}

function newer({ clock, store, transport }: EngineWorld) {
  return world({ clock, settings: { owner: 'newer' }, governance: false, store, transport });
}

/** A gateway, an executor that lacks these commands, and a task that has come to one of them. */
async function stalled(definition: FlowDefinition, ...lacks: readonly string[]) {
  const gateway = await world({ executor: false });
  const old = await older(gateway, ...lacks);
  await gateway.clock.advance(SOON_MS);
  const { plan } = await gateway.submit(definition);
  return { gateway, old, taskId: plan.taskId };
}

function noticed({ observer }: EngineWorld): readonly string[] {
  const found = observer.notices.filter(({ name }) => name === 'command_not_served');
  return found.map(({ message }) => message);
}

function statusOf({ status }: Task): string {
  return statusName(status);
}

describe('a command that no executor of its module has', () => {
  it('is waited for, and started as soon as an executor has it', async () => {
    const { gateway, old, taskId } = await stalled(chain(['a', 'b', 'c']), 'm.b');
    await gateway.clock.advance(HOUR_MS);
    const task = await gateway.task(taskId);
    expect(statusOf(task)).toBe('running');
    expect(task.runs[1]?.normal).toMatchObject({ state: 'queued', attempts: 0, spent: 0 });
    expect(old.commands.calls).toEqual(['a:normal']);
    const now = await newer(gateway);
    await gateway.clock.advance(SOON_MS);
    expect(statusOf(await gateway.task(taskId))).toBe('succeeded');
    expect(now.commands.calls).toEqual(['b:normal', 'c:normal']);
  });

  it('is waited for on the way back', async () => {
    const { gateway, old, taskId } = await stalled(chain(['a', 'b']), 'm.undo_a');
    old.commands.scripts.set('m.b', () => fails());
    await gateway.clock.advance(HOUR_MS);
    // The first task has run before its script was there.
    const { plan } = await gateway.submit(chain(['a', 'b']));
    await gateway.clock.advance(HOUR_MS);
    expect(statusOf(await gateway.task(taskId))).toBe('succeeded');
    expect(statusOf(await gateway.task(plan.taskId))).toBe('rolling_back');
    await newer(gateway);
    await gateway.clock.advance(SOON_MS);
    expect(statusOf(await gateway.task(plan.taskId))).toBe('rolled_back');
  });

  it('is waited for where it was there for an earlier attempt', async () => {
    const gateway = await world({ executor: false });
    const old = await older(gateway);
    old.commands.scripts.set('m.a', () => {
      old.commands.lacks.add('m.a');
      return fails('not yet', false);
    });
    const retried = chain(['a'], { normal: action('m.a', { retry: LATER, timeoutMs: HOUR_MS }) });
    const { plan } = await gateway.submit(retried);
    // The next announcement tells that it is gone.
    await gateway.clock.advance(HOUR_MS / 2);
    const { attempts, spent, state } = (await gateway.task(plan.taskId)).runs[0]!.normal;
    expect({ attempts, spent, state }).toEqual({ attempts: 1, spent: 1, state: 'queued' });
    await newer(gateway);
    await gateway.clock.advance(SOON_MS);
    expect(statusOf(await gateway.task(plan.taskId))).toBe('succeeded');
  });

  it('is waited for by a process that runs everything itself', async () => {
    const alone = await world();
    alone.commands.lacks.add('m.b');
    const { plan } = await alone.submit(chain(['a', 'b']));
    await alone.clock.advance(HOUR_MS);
    expect(statusOf(await alone.task(plan.taskId))).toBe('running');
    alone.commands.lacks.delete('m.b');
    await alone.clock.advance(SOON_MS);
    expect(statusOf(await alone.task(plan.taskId))).toBe('succeeded');
  });

  it('is waited for no longer than the task may take', async () => {
    const { gateway, taskId } = await stalled({ ...chain(['a', 'b']), timeoutMs: HOUR_MS }, 'm.b');
    await gateway.clock.advance(HOUR_MS - 1_000);
    expect(statusOf(await gateway.task(taskId))).toBe('running');
    await gateway.clock.advance(2_000);
    expect(statusOf(await gateway.task(taskId))).toBe('rolled_back');
  });

  it('is found by a gateway that was not there when it was gone', async () => {
    const { gateway, taskId } = await stalled(chain(['b']), 'm.b');
    await gateway.clock.advance(HOUR_MS);
    await gateway.engine.stop();
    const { clock, store, transport } = gateway;
    const other = await world({ clock, executor: false, store, transport });
    await newer(gateway);
    await clock.advance(LOOK_MS + SOON_MS);
    expect(statusOf(await other.task(taskId))).toBe('succeeded');
  });

  it('holds up nothing else, and costs few messages and writes', async () => {
    const { gateway, old } = await stalled(chain(['b']), 'm.b');
    const waiting = Array.from({ length: 20 }, () => gateway.submit(chain(['b'])));
    const taskIds = (await Promise.all(waiting)).map(({ plan }) => plan.taskId);
    const { plan } = await gateway.submit(chain(['a']));
    expect(statusOf(await gateway.task(plan.taskId))).toBe('succeeded');
    const sent = gateway.transport.sent.length;
    await gateway.clock.advance(HOUR_MS);
    await settle();
    expect(gateway.transport.sent).toHaveLength(sent);
    for (const taskId of taskIds) {
      expect((await gateway.task(taskId)).revision).toBeLessThan(2 + HOUR_MS / LOOK_MS + 10);
    }
    const listed = [{ module: 'm', command: 'b', tasks: 21 }];
    expect(gateway.engine.governance.awaitedCommands()).toEqual(listed);
    expect(noticed(gateway)).toEqual([
      expect.stringMatching(/^no executor of m has the command b; it has a, c, d, undo_a/),
    ]);
    expect(old.commands.calls).toEqual(['a:normal']);
  });

  it('is waited for by one branch while the others go on', async () => {
    const steps = ['a', 'b'].map((name) => ({
      name,
      needs: [],
      normal: action(`m.${name}`),
      rollback: null,
    }));
    const { gateway, taskId } = await stalled(flow(steps), 'm.b');
    await gateway.clock.advance(HOUR_MS);
    const { runs } = await gateway.task(taskId);
    expect(runs.map(({ normal }) => normal.state)).toEqual(['succeeded', 'queued']);
    await newer(gateway);
    await gateway.clock.advance(SOON_MS);
    expect(statusOf(await gateway.task(taskId))).toBe('succeeded');
    expect(gateway.engine.governance.awaitedCommands()).toEqual([]);
    expect(noticed(gateway).at(-1)).toBe('an executor of m has the command b again');
  });
});
