import { describe, expect, it } from '@jest/globals';
import { type StepOf, isFinal, type JournalEntry, NO_RETRY, type StepPlan } from '#core';
import { action, chain, done, EngineWorld, fails, flow, settle } from '#testing';
import { endedOf, sampleTask } from '#testing';
import { StatisticsObserver } from './statistics-observer.js';

const HOUR = 1_800_000_000_000;

/** Plays one task of these steps to its end, and gives what was counted of its flow. */
async function played(
  steps: readonly StepPlan[],
  scripts: Readonly<Record<string, Parameters<EngineWorld['commands']['scripts']['set']>[1]>>,
) {
  const world = new EngineWorld();
  await world.engine.start();
  const counted = new StatisticsObserver('p');
  Object.assign(world.observer, { committed: counted.committed.bind(counted) });
  for (const [name, script] of Object.entries(scripts)) world.commands.scripts.set(name, script);
  const { plan } = await world.submit(flow(steps));
  for (let n = 0; n < 100 && !isFinal((await world.task(plan.taskId)).status); n += 1) {
    await settle();
    await world.clock.advance(1_000);
  }
  const stopped = world.engine.stop();
  await world.clock.advance(10_000);
  await stopped;
  const [row] = counted.rowsOf('test-flow', 'hour');
  expect(counted.rowsOf('test-flow', 'day')).toMatchObject([{ ...row, span: 'day', start: DAY }]);
  return row!;
}

const DAY = Math.floor(HOUR / 86_400_000) * 86_400_000;

const retried = { ...NO_RETRY, attempts: 3 };

describe('statistics of a flow', () => {
  it('count retries with their codes, and the end once', async () => {
    const steps = [
      { name: 'a', needs: [], normal: action('m.a', { retry: retried }), rollback: null },
    ];
    const code = { ...fails('no', false), error: 'NO_HOST' } as const;
    const row = await played(steps, { 'm.a': (_, calls) => (calls < 2 ? code : done()) });
    expect(row).toMatchObject({ started: 1, ended: { succeeded: 1 }, duration: { count: 1 } });
    expect(row.steps).toEqual([
      expect.objectContaining({
        ...{ step: 'a', direction: 'normal', succeeded: 1, failed: 0, retries: 2 },
        errors: { NO_HOST: 2 },
        duration: expect.objectContaining({ count: 1 }),
      }),
    ]);
  });

  it('count the way back, and tries of groups by the names of their steps', async () => {
    const steps = [
      ...chain(['a']).steps,
      {
        name: 'g',
        needs: [0],
        group: chain(['b', 'c']).steps,
        retry: { ...NO_RETRY, attempts: 2 },
        timeoutMs: null,
      } satisfies StepOf<'group'>,
    ];
    const row = await played(steps, { 'm.c': () => fails() });
    expect(row.ended).toEqual({ rolled_back: 1 });
    const told = row.steps.map(({ direction, failed, step, succeeded, retries }) => {
      return `${step} ${direction}: ${succeeded} ${failed} ${retries}`;
    });
    expect(told.toSorted()).toEqual([
      'a normal: 1 0 0',
      'a rollback: 1 0 0',
      'g normal: 0 1 0',
      'g/b normal: 2 0 0',
      'g/b rollback: 2 0 0',
      'g/c normal: 0 2 0',
      'g/c rollback: 2 0 0',
    ]);
  });

  it('count a rollback that failed for good', async () => {
    const scripts = { 'm.b': () => fails(), 'm.undo_a': () => fails() };
    const row = await played(chain(['a', 'b']).steps, scripts);
    expect(row).toMatchObject({ ended: {}, rollbackFailed: 1 });
  });
});

describe('statistics of a process', () => {
  const task = sampleTask();
  const created = (at: number): JournalEntry => ({ seq: 1, at, kind: 'created' });
  const { flow: name } = task.plan;

  it('go on in a row of their own when the hour is over, or the clock was set back', () => {
    const counted = new StatisticsObserver('p');
    const hours = [0, 0.5, 1, 0.9, 5, 1].map((hours) => HOUR + hours * 3_600_000);
    for (const at of hours) counted.committed(task, [created(at)]);
    const rows = counted.rowsOf(name, 'hour');
    expect(rows.map(({ owner, start, started }) => [(start - HOUR) / 3_600_000, owner, started])) //
      .toEqual([
        [0, 'p.1', 2],
        [1, 'p.2', 2],
        [5, 'p.3', 1],
        [1, 'p.4', 1],
      ]);
    for (const counter of counted.changed()) counter.markStored(counter.changes);
    counted.forgetStored();
    expect(counted.rowsOf(name, 'hour').map(({ owner }) => owner)).toEqual(['p.4']);
  });

  it('are to be stored again where something came while they were being stored', () => {
    const counted = new StatisticsObserver('p');
    counted.committed(task, [created(HOUR)]);
    const [counter] = counted.changed();
    const { changes } = counter!;
    counted.committed(task, [created(HOUR)]);
    counter!.markStored(changes);
    expect(counted.changed()).toContain(counter);
    counter!.markStored(counter!.changes);
    expect(counted.changed()).not.toContain(counter);
  });

  it('stay small, whatever steps and errors there are', () => {
    const counted = new StatisticsObserver('p');
    const ended = endedOf(task);
    for (let n = 0; n < 1_000; n += 1) {
      const step = { step: `s${n}`, direction: 'normal', run: `s${n}` } as const;
      counted.committed(ended, [{ seq: n, at: HOUR, kind: 'failed', code: 'FAILED', ...step }]);
    }
    const long = { step: 'x'.repeat(300), direction: 'rollback' } as const;
    counted.committed(ended, [{ seq: 1, at: HOUR, kind: 'timed_out', ...long }]);
    const { steps } = counted.rowsOf(name, 'hour')[0]!;
    expect(steps).toHaveLength(130);
    const sum = (rest: 'normal' | 'rollback') =>
      steps.filter(({ direction }) => direction === rest).reduce((all, one) => all + one.failed, 0);
    expect(sum('normal')).toBe(1_000);
    expect(steps.find(({ direction }) => direction === 'rollback')!.step).toBe('*');
  });
});
