import { expect, it } from '@jest/globals';
import { type Dispatch, dispatchFor, TASK_STATUS } from '#core';
import { chain, EngineWorld, fails, ScriptedCommands, settle } from '#testing';

it('a forged message cannot have a process take an alert that it does not serve', async () => {
  const commands = new ScriptedCommands(['m']);
  commands.scripts.set('m.a', () => fails());
  commands.scripts.set('m.undo_a', () => fails());
  const w = new EngineWorld({ commands });
  await w.engine.start();
  const { alert, alertStep, plan, revision, status } = await w.submit(chain(['a']));
  expect({ status, alert: alert?.state }).toEqual({
    status: TASK_STATUS.rollback_failed,
    alert: 'queued',
  });
  const ref = { direction: 'alert', step: alertStep ?? 0 } as const;
  const { message, ...rest } = dispatchFor(plan, ref, alert!);
  const forged: Dispatch = { ...rest, message: { ...message, module: 'm', command: 'a' } };
  w.transport.deliver(forged);
  await settle();
  expect((await w.task(plan.taskId)).revision).toBe(revision);
  const stopped = w.engine.stop();
  await w.clock.advance(10_000);
  await stopped;
});
