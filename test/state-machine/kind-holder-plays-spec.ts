import { expect } from '@jest/globals';
import type { JsonObject, KindName } from '#core';
import {
  goesBackLater,
  isAskedAnew,
  PAUSE,
  type Plays,
  RESUME,
  ROLL_BACK,
} from './kind-leaf-plays-spec.js';
import { type KindPlay, problemsOf, step } from './kind-play-spec.js';

const WORK = step('work', { timeout: '1m' });
const STEPS = [step('other'), WORK];
const SLOW = [step('other'), step('work', { timeout: '1h' })];
const GROUP = { group: STEPS, retry: { attempts: 2, delay: '1s' }, timeout: '1m' };
const CHOICE = {
  choice: [{ name: 'large', when: '{% isLarge %}', steps: STEPS }],
  otherwise: [step('left')],
};
const LARGE = { isLarge: true };
const PARALLEL = { parallel: { a: [WORK], b: [step('other')] } };
const LOOP = { loop: { steps: [WORK], until: '{% work > 1 %}', max: 3 } };
const EACH = { in: [1, 2], as: 'item', concurrency: 1, steps: [WORK] };
const FOREACH = { foreach: EACH };
const FLOW = { flow: { name: 'child' } };
const DYNAMIC = { dynamic: { steps: '{% made %}' } };
const MADE = { made: STEPS };

const group: Plays = {
  async succeeds(play) {
    await play.run(GROUP);
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ it: { other: 1, work: 1 } });
  },
  async fails(play) {
    play.fail('work');
    await play.run(GROUP);
    expect(await play.ended()).toMatchObject({ step: 'waiting', task: 'running' });
    expect((await play.ended()).calls).toBe('before, other 1, work 1, undo work 1, undo other 1');
    await play.advance(1_000);
    expect(await play.cause()).toBe('BROKEN');
  },
  async times_out(play) {
    play.hold('work');
    await play.run({ ...GROUP, group: SLOW });
    await play.advance(61_000);
    expect(await play.cause()).toBe('TIMED_OUT');
  },
  killed: (play) => goesOnElsewhere(play, GROUP),
  rolled_back: (play) => goesBackFromWithin(play, GROUP),
  async paused(play, other) {
    await pausesWithin(play, GROUP);
    other.hold('work', { isDeaf: true });
    await other.run({ ...GROUP, group: SLOW });
    await other.ask(PAUSE);
    await other.advance(61_000);
    expect((await other.ended()).task).toBe('paused');
    expect(other.isToldToStop('work')).toBe(true);
    await other.release('work');
    await other.ask(RESUME);
    await other.advance(1_000);
    expect(await other.cause()).toBe('TIMED_OUT');
  },
};

const choice: Plays = {
  async succeeds(play, other) {
    await play.run(CHOICE, LARGE);
    const output = { case: 'large', other: 1, work: 1 };
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ it: output });
    await other.run(CHOICE, { isLarge: false });
    expect((await other.ended()).calls).toBe('before, left, after');
  },
  async fails(play, other) {
    play.fail('work');
    await play.run(CHOICE, LARGE);
    expect(await play.cause()).toBe('BROKEN');
    await other.run({ choice: [{ when: '{% boom %}', steps: [WORK] }] });
    expect(await other.cause()).toBe('EXPRESSION_FAILED');
  },
  times_out: (play) => timesOutWithin(play, CHOICE, LARGE),
  async killed(play, other) {
    await goesOnElsewhere(play, CHOICE, LARGE);
    await isAskedAnew(other, { choice: [{ when: '{% cpu > 3 %}', steps: [WORK] }] });
    expect((await other.ended()).task).toBe('succeeded');
  },
  rolled_back: (play) => goesBackFromWithin(play, CHOICE, LARGE),
  paused: (play) => pausesWithin(play, CHOICE, LARGE),
};

const parallel: Plays = {
  async succeeds(play) {
    await play.run(PARALLEL);
    const output = { a: { work: 1 }, b: { other: 1 } };
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ it: output });
  },
  async fails(play, other) {
    play.fail('work');
    play.hold('other', { isDeaf: true });
    await play.run(PARALLEL);
    expect(play.isToldToStop('other')).toBe(true);
    expect((await play.ended()).calls).toBe('before, other, work, undo work');
    await play.release('other');
    expect(await play.cause()).toBe('BROKEN');
    other.fail('work');
    other.hold('other', { isDeaf: true });
    await other.run({ ...PARALLEL, onBranchFailure: 'wait' });
    expect(other.isToldToStop('other')).toBe(false);
    expect((await other.ended()).calls).toBe('before, other, work');
    await other.release('other');
    expect(await other.ended()).toEqual(await play.ended());
  },
  times_out: (play) => timesOutWithin(play, PARALLEL),
  killed: (play) => goesOnElsewhere(play, PARALLEL),
  rolled_back: (play) => goesBackFromWithin(play, PARALLEL),
  paused: (play) => pausesWithin(play, PARALLEL),
};

const loop: Plays = {
  async succeeds(play) {
    await play.run(LOOP);
    const output = { rounds: 2, work: 2 };
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ it: output });
  },
  async fails(play, other) {
    play.fail('work', 2);
    await play.run(LOOP);
    expect(await play.cause()).toBe('BROKEN');
    await other.run({ loop: { ...LOOP.loop, until: '{% work > 9 %}', max: 2 } });
    expect(await other.cause()).toBe('LOOP_LIMIT');
    expect((await other.ended()).calls).toBe((await play.ended()).calls);
  },
  times_out: (play) => timesOutWithin(play, LOOP),
  killed: (play) => goesOnElsewhere(play, LOOP),
  async rolled_back(play) {
    play.hold('work', { from: 2, isDeaf: true });
    await play.run(LOOP);
    expect((await play.ended()).calls).toBe('before, work 1, work 2');
    await play.ask(ROLL_BACK);
    expect((await play.ended()).calls).toBe('before, work 1, work 2');
    await play.release('work');
  },
  paused: (play) => pausesWithin(play, LOOP),
};

const foreach: Plays = {
  async succeeds(play) {
    await play.run(FOREACH);
    expect(play.children()).toEqual(['succeeded', 'succeeded']);
    const output = { count: 2, succeeded: 2, failed: 0 };
    expect((await play.it()).normal.output).toMatchObject(output);
  },
  async fails(play, other) {
    play.fail('work', 2);
    await play.run(FOREACH);
    expect(await play.cause()).toBe('CHILDREN_FAILED');
    expect(play.children()).toEqual(['rolled_back', 'rolled_back']);
    other.fail('work', 2);
    await other.run({ foreach: { ...EACH, successPercent: 50 } });
    expect(await other.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
  },
  async times_out(play) {
    await timesOutWithin(play, FOREACH);
    expect(play.children()).toEqual(['rolled_back', 'rolled_back']);
  },
  async killed(play) {
    await goesOnElsewhere(play, FOREACH);
    expect(play.children()).toEqual(['succeeded', 'succeeded']);
  },
  async rolled_back(play, other) {
    await goesBackFromWithin(play, FOREACH);
    expect(play.children()).toEqual(['rolled_back']);
    await goesBackLater(other, FOREACH);
    const undone = 'undo after, undo work 2, undo work 1, undo before';
    expect((await other.ended()).calls).toContain(undone);
    expect(other.children()).toEqual(['rolled_back', 'rolled_back']);
  },
  async paused(play) {
    await isPausedWithin(play, FOREACH);
    expect(play.children()).toEqual(['succeeded']);
    await play.ask(RESUME);
    await play.advance(10_000);
  },
};

const flow: Plays = {
  async succeeds(play) {
    await play.run(FLOW);
    expect(play.children()).toEqual(['succeeded']);
    expect((await play.it()).normal.output).toMatchObject({ status: 'succeeded' });
  },
  async fails(play) {
    play.fail('work');
    await play.run(FLOW);
    expect(await play.cause()).toBe('CHILD_FAILED');
    expect(play.children()).toEqual(['rolled_back']);
  },
  async times_out(play) {
    await timesOutWithin(play, FLOW);
    expect(await play.cause()).toBe('CHILD_FAILED');
    expect(play.children()).toEqual(['rolled_back']);
  },
  async killed(play) {
    await goesOnElsewhere(play, FLOW);
    expect(play.children()).toEqual(['succeeded']);
  },
  async rolled_back(play, other) {
    await goesBackFromWithin(play, FLOW);
    expect(play.children()).toEqual(['rolled_back']);
    await goesBackLater(other, FLOW);
    expect((await other.ended()).calls).toContain('undo after, undo work, undo before');
    expect(other.children()).toEqual(['rolled_back']);
  },
  async paused(play) {
    await isPausedWithin(play, FLOW);
    expect(play.children()).toEqual(['succeeded']);
    await play.ask(RESUME);
    await play.advance(10_000);
  },
};

const dynamic: Plays = {
  async succeeds(play) {
    await play.run(DYNAMIC, MADE);
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ it: { other: 1, work: 1 } });
  },
  async fails(play, other) {
    play.fail('work');
    await play.run(DYNAMIC, MADE);
    expect(await play.cause()).toBe('BROKEN');
    await other.run(DYNAMIC, { made: [{ name: 'nothing' }] });
    expect(await other.cause()).toBe('INVALID_STEPS');
    expect((await other.ended()).calls).toBe('before, undo before');
  },
  times_out: (play) => timesOutWithin(play, DYNAMIC, MADE),
  async killed(play, other) {
    await goesOnElsewhere(play, DYNAMIC, MADE);
    other.holdQuestions();
    await other.run(DYNAMIC, MADE);
    await other.kill();
    expect((await other.ended()).calls).toBe('before, other, work, after');
  },
  rolled_back: (play) => goesBackFromWithin(play, DYNAMIC, MADE),
  paused: (play) => pausesWithin(play, DYNAMIC, MADE),
};

/** It has no time of its own; a step in it has, and its time is over. */
async function timesOutWithin(
  play: KindPlay,
  it: JsonObject,
  parameters: JsonObject = {},
): Promise<void> {
  expect(problemsOf(it)).toEqual([]);
  expect(problemsOf({ ...it, timeout: '1m' })).toEqual(['UNKNOWN_MEMBER']);
  play.hold('work');
  await play.run(it, parameters);
  await play.advance(59_999);
  expect((await play.ended()).step).toBe('running');
  await play.advance(60_000);
  expect((await play.ended()).calls).toContain('undo work');
}

/** Its process is killed while a step in it runs. */
async function goesOnElsewhere(
  play: KindPlay,
  it: JsonObject,
  parameters: JsonObject = {},
): Promise<void> {
  play.hold('work');
  await play.run(it, parameters);
  expect((await play.ended()).step).toBe('running');
  await play.kill();
  const [first, second] = play.contexts.filter(({ command }) => command === 'work');
  expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
  expect((await play.it()).normal).toMatchObject({ attempts: 1, crashes: 0 });
}

/** A person has the task go back while a step in it runs. */
async function goesBackFromWithin(
  play: KindPlay,
  it: JsonObject,
  parameters: JsonObject = {},
): Promise<void> {
  play.hold('work', { isDeaf: true });
  await play.run(it, parameters);
  expect(await play.ask(ROLL_BACK)).toBe('committed');
  await play.advance(5_000);
  expect(play.isToldToStop('work')).toBe(true);
  expect((await play.ended()).calls).not.toContain('undo');
  await play.release('work');
  await play.advance(10_000);
}

/** A person pauses the task while a step in it runs, and lets it go on. */
async function pausesWithin(
  play: KindPlay,
  it: JsonObject,
  parameters: JsonObject = {},
): Promise<void> {
  await isPausedWithin(play, it, parameters);
  await play.ask(RESUME);
  await play.advance(10_000);
}

/** A person pauses the task while a step in it runs, and the step ends. */
async function isPausedWithin(
  play: KindPlay,
  it: JsonObject,
  parameters: JsonObject = {},
): Promise<void> {
  play.hold('work');
  await play.run(it, parameters);
  await play.ask(PAUSE);
  const { calls } = await play.ended();
  expect(play.isToldToStop('work')).toBe(false);
  await play.release('work');
  await play.advance(30_000);
  expect(await play.ended()).toEqual({ step: 'running', task: 'paused', calls });
}

/** Of the kinds that hold steps, or have child tasks. */
export const HOLDER_PLAYS = {
  group,
  choice,
  parallel,
  loop,
  foreach,
  flow,
  dynamic,
} as const satisfies Partial<Record<KindName, Plays>>;
