import { afterEach, expect, it } from '@jest/globals';
import { contentSize, DEFAULT_LIMITS, FAILURE_CODES, type JsonObject, TASK_STATUS } from '#core';
import { chain, done, EngineWorld } from '#testing';

const PARAMETERS = { name: 'größe' };
const OUTPUT = { host: 'h1' };
const worlds: EngineWorld[] = [];

/** A task of two steps with these outputs, in a world whose tasks hold so many bytes. */
async function run(contentBytes: number, outputs: readonly (JsonObject | null)[]) {
  const world = new EngineWorld({ limits: { ...DEFAULT_LIMITS, contentBytes } });
  worlds.push(world);
  await world.engine.start();
  outputs.forEach((output, n) => {
    world.commands.scripts.set(`m.${'ab'[n]}`, () => ({ kind: 'succeeded', output }));
  });
  return { world, task: await world.submit(chain(['a', 'b']), PARAMETERS) };
}

afterEach(async () => {
  for (const { clock, engine } of worlds.splice(0)) {
    const stopped = engine.stop();
    await clock.advance(10_000);
    await stopped;
  }
});

const bytes = (content: JsonObject): number => Buffer.byteLength(JSON.stringify(content));
const FULL = bytes(PARAMETERS) + 2 * bytes(OUTPUT);

it('a task is filled to its last byte', async () => {
  const { task } = await run(FULL, [OUTPUT, OUTPUT]);
  expect(task.status).toBe(TASK_STATUS.succeeded);
  expect(contentSize(task)).toBe(FULL);
});

it('the output that is one byte too much ends its step for good, and all is undone', async () => {
  const { task, world } = await run(FULL - 1, [OUTPUT, OUTPUT]);
  expect(task.status).toBe(TASK_STATUS.rolled_back);
  expect(task.runs[1]?.normal).toMatchObject({
    state: 'failed',
    code: FAILURE_CODES.OUTPUT_TOO_LARGE,
    message:
      `the output has ${bytes(OUTPUT)} bytes; with it the task would hold ${FULL} bytes of ` +
      `parameters and outputs, at most ${FULL - 1} are allowed`,
    attempts: 1,
    output: null,
  });
  expect(world.commands.calls).toEqual(['a:normal', 'b:normal', 'b:rollback', 'a:rollback']);
});

it('a step without an output succeeds in a task that is full', async () => {
  const { task } = await run(bytes(PARAMETERS), [null, null]);
  expect(task.status).toBe(TASK_STATUS.succeeded);
});

it('of two outputs at once that fit only alone, one is refused', async () => {
  const world = new EngineWorld({ limits: { ...DEFAULT_LIMITS, contentBytes: FULL - 1 } });
  worlds.push(world);
  await world.engine.start();
  const steps = chain(['a', 'b']).steps.map((step) => ({ ...step, needs: [] }));
  for (const name of ['m.a', 'm.b']) world.commands.scripts.set(name, () => done(OUTPUT));
  const task = await world.submit({ ...chain(['a', 'b']), steps }, PARAMETERS);
  expect(task.status).toBe(TASK_STATUS.rolled_back);
  expect(task.runs.map(({ normal }) => normal.code).sort((x, y) => x - y)).toEqual([
    0,
    FAILURE_CODES.OUTPUT_TOO_LARGE,
  ]);
});
