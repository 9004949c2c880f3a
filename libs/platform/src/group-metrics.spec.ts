import { expect, it } from '@jest/globals';
import { type StepOf, isFinal, NO_RETRY } from '#core';
import { action, chain, done, EngineWorld, fails, flow, settle } from '#testing';
import { PrometheusObserver } from './index.js';

/** `a`, then a group of another `a` that has no rollback and fails once, and of `b`. */
const STEPS = [
  { name: 'a', needs: [], normal: action('m.outer'), rollback: null },
  {
    name: 'g',
    needs: [0],
    group: [
      { name: 'a', needs: [], normal: action('m.inner'), rollback: null },
      ...chain(['b']).steps.map((step) => ({ ...step, needs: [0] })),
    ],
    retry: { ...NO_RETRY, attempts: 3 },
    timeoutMs: null,
  } satisfies StepOf<'group'>,
];

it('counts each action in a group once for each try, beside steps of the same name', async () => {
  const world = new EngineWorld();
  await world.engine.start();
  const metrics = new PrometheusObserver({ processMetrics: false });
  Object.assign(world.observer, { committed: metrics.committed.bind(metrics) });
  let tries = 0;
  world.commands.scripts.set('m.inner', async () => {
    await world.clock.advance(2_000);
    return (tries += 1) === 1 ? fails() : done();
  });
  world.commands.scripts.set('m.b', () => (tries === 2 ? fails() : done()));
  const { plan } = await world.submit(flow(STEPS));
  while (!isFinal((await world.task(plan.taskId)).status)) await settle();
  const stopped = world.engine.stop();
  await world.clock.advance(10_000);
  await stopped;

  const text = await metrics.registry.metrics();
  const of = (command: string, direction = 'normal') =>
    `{flow="test-flow",module="m",command="${command}",direction="${direction}"`;
  const lines = text.split('\n').filter((line) => /^backstep_step\w*(total|sum|count)/.test(line));
  expect(lines.filter((line) => !line.endsWith(' 0')).toSorted()).toEqual(
    [
      `backstep_steps_finished_total${of('outer')},outcome="succeeded"} 1`,
      `backstep_steps_finished_total${of('inner')},outcome="failed"} 1`,
      `backstep_steps_finished_total${of('inner')},outcome="succeeded"} 2`,
      `backstep_steps_finished_total${of('b')},outcome="failed"} 1`,
      `backstep_steps_finished_total${of('b')},outcome="succeeded"} 1`,
      `backstep_steps_finished_total${of('undo_b', 'rollback')},outcome="succeeded"} 1`,
      `backstep_step_duration_seconds_count${of('outer')}} 1`,
      `backstep_step_duration_seconds_count${of('inner')}} 3`,
      `backstep_step_duration_seconds_sum${of('inner')}} 6`,
      `backstep_step_duration_seconds_count${of('b')}} 2`,
      `backstep_step_duration_seconds_count${of('undo_b', 'rollback')}} 1`,
    ].toSorted(),
  );
});
