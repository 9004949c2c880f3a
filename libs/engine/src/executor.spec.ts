import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TIMING, type Dispatch } from '#core';
import { createTask, dispatchesOf } from '#core/transitions';
import { dispatchFor } from '#core/scopes';
import { chain, EngineWorld, fails, ScriptedCommands, settle } from '#testing';

it('a forged message cannot have a process take an alert that it does not serve', async () => {
  const commands = new ScriptedCommands(['m']);
  commands.scripts.set('m.a', () => fails());
  commands.scripts.set('m.undo_a', () => fails());
  const w = new EngineWorld({ commands });
  await w.engine.start();
  const stuck = await w.submit(chain(['a']));
  const { plan, revision, runs } = await w.task(stuck.alert?.taskId ?? '');
  const task = await w.task(plan.taskId);
  expect(runs[0]?.normal.state).toBe('queued');
  const { message, ...rest } = dispatchFor(task, { direction: 'normal', step: 0 }, runs[0]!.normal);
  const forged: Dispatch = { ...rest, message: { ...message, module: 'm', command: 'a' } };
  w.transport.deliver(forged);
  await settle();
  expect((await w.task(plan.taskId)).revision).toBe(revision);
  const stopped = w.engine.stop();
  await w.clock.advance(10_000);
  await stopped;
});

describe('a message about a step that was reset', () => {
  /** A world with a task whose only step is queued in its second generation. */
  async function worldOfSecondRun() {
    const w = new EngineWorld();
    const moment = { now: w.clock.now(), chance: 0, timing: DEFAULT_TIMING };
    const request = { parameters: {} };
    const flow = { definition: chain(['a']), version: 1 };
    const { queued, task } = createTask(flow, request, { taskId: 't', moment });
    const again = { ...task, runs: task.runs.map((runs) => ({ ...runs, generation: 2 })) };
    w.store.contents.tasks.set('t', again);
    await w.engine.start();
    const former = dispatchesOf(task, queued)[0]!;
    return { w, former, present: dispatchesOf(again, queued)[0]! };
  }

  it('does nothing where it is about the run before', async () => {
    const { former, w } = await worldOfSecondRun();
    expect(former.message).toMatchObject({ step: 'a', run: 'a', attempt: 1 });
    w.transport.deliver(former);
    await settle();
    expect(w.commands.calls).toEqual([]);
    expect((await w.task('t')).revision).toBe(1);
    await w.engine.stop();
  });

  it('leaves the slot of a stale message free', async () => {
    const { former, present, w } = await worldOfSecondRun();
    for (let n = 0; n < 10; n += 1) w.transport.deliver(former);
    await settle();
    w.transport.deliver(present);
    await settle();
    expect(w.commands.calls).toEqual(['a:normal']);
    await w.engine.stop();
  });

  it('has the present run start, by its own id and keys', async () => {
    const { present, w } = await worldOfSecondRun();
    expect(present.message).toMatchObject({ step: 'a', run: 'a~2', attempt: 1 });
    w.transport.deliver(present);
    await settle();
    const [context] = w.commands.contexts;
    expect(context).toMatchObject({ step: 'a', run: 'a~2' });
    expect([context?.idempotencyKey, context?.forwardKey]).toEqual([
      't:a~2:normal',
      't:a~2:normal',
    ]);
    const { journal } = await w.task('t');
    expect(journal.at(-2)).toMatchObject({ kind: 'succeeded', step: 'a', run: 'a~2' });
    await w.engine.stop();
  });
});
