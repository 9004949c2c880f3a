import { expect } from '@jest/globals';
import type { JsonObject, KindName } from '#core';
import { type KindPlay, problemsOf, undo } from './kind-play-spec.js';
import type { KindColumn } from './kind-table.js';

/** Plays what a cell says, and expects it; the other play is for a second way in which it comes. */
export type Plays = Readonly<
  Record<KindColumn, (play: KindPlay, other: KindPlay) => Promise<void>>
>;

export const PAUSE = { kind: 'pause_requested' } as const;
export const RESUME = { kind: 'resume_requested' } as const;
export const ROLL_BACK = { kind: 'rollback_requested' } as const;
export const UNDO = { kind: 'undo_requested' } as const;

const GO = { kind: 'signal_received', name: 'go', payload: { price: 3 } } as const;
const YES = { kind: 'judged', step: 'it', isApproved: true } as const;

const NORMAL = {
  normal: { module: 'm', command: 'work', timeout: '1m', retry: { attempts: 2, delay: '1s' } },
  rollback: undo('work'),
};
const SIGNAL = { wait: { signal: 'go', timeout: '1m' }, rollback: undo('work') };
const APPROVE = { approve: { title: 'sure?', timeout: '1m' }, rollback: undo('work') };
const SET = { set: { size: '{% cpu %}' }, rollback: undo('work') };
const SUCCEED = { succeed: { output: '{% cpu %}' } };
const FAIL = { fail: { code: 'TOO_SMALL', message: '{% cpu %}' } };

const normal: Plays = {
  async succeeds(play) {
    await play.run(NORMAL);
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ work: 1 });
  },
  async fails(play, other) {
    play.fail('work');
    await play.run(NORMAL);
    expect((await play.it()).normal.state).toBe('waiting');
    await play.advance(1_000);
    expect(await play.cause()).toBe('BROKEN');
    other.failForGood('work');
    await other.run(NORMAL);
    expect((await other.it()).normal.attempts).toBe(1);
  },
  async times_out(play) {
    play.hold('work');
    await play.run(NORMAL);
    await play.advance(59_999);
    expect((await play.it()).normal.state).toBe('running');
    await play.advance(1);
    expect(await play.cause()).toBe('TIMED_OUT');
  },
  async killed(play, other) {
    play.hold('work');
    await play.run(NORMAL);
    await play.kill();
    const [, first, second] = play.contexts;
    expect(second?.idempotencyKey).toBe(first?.idempotencyKey);
    expect(second?.fencingToken).toBeGreaterThan(first?.fencingToken ?? Infinity);
    expect((await play.it()).normal).toMatchObject({ attempts: 2, spent: 1, crashes: 1 });
    other.hold('work');
    await other.run({ ...NORMAL, normal: { ...NORMAL.normal, retry: 0, onCrash: 'fail' } });
    await other.kill();
    expect(await other.cause()).toBe('LEASE_LOST');
    expect((await other.ended()).calls).toBe('before, work, undo work, undo before');
  },
  async rolled_back(play, other) {
    play.hold('work', { isDeaf: true });
    await play.run(NORMAL);
    expect(await play.ask(ROLL_BACK)).toBe('committed');
    expect(play.isToldToStop('work')).toBe(true);
    expect((await play.ended()).calls).toBe('before, work');
    await play.release('work');
    other.hold('work');
    await other.run(NORMAL);
    await other.ask(ROLL_BACK);
    expect((await other.ended()).step).toBe('terminated');
    expect((await other.ended()).calls).toBe('before, work, undo work, undo before');
  },
  async paused(play) {
    play.hold('work');
    await play.run(NORMAL);
    await play.ask(PAUSE);
    expect(play.isToldToStop('work')).toBe(false);
    await play.release('work');
    await play.advance(3_600_000);
    expect(await play.ended()).toMatchObject({ step: 'succeeded', task: 'paused' });
    expect((await play.ended()).calls).toBe('before, work');
    await play.ask(RESUME);
  },
};

const wait: Plays = {
  async succeeds(play, other) {
    await play.run(SIGNAL);
    expect((await play.ended()).step).toBe('waiting');
    await play.ask(GO);
    expect((await play.it()).normal.output).toEqual({ price: 3 });
    await other.run({ wait: { for: '1m' } });
    await other.advance(59_000);
    expect((await other.ended()).step).toBe('waiting');
    await other.advance(2_000);
    expect(await other.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
    expect((await other.it()).normal.output).toEqual({});
  },
  async fails(play) {
    await play.run({ wait: { for: '{% boom %}' }, rollback: undo('work') });
    expect(await play.cause()).toBe('EXPRESSION_FAILED');
  },
  async times_out(play, other) {
    await play.run(SIGNAL);
    await play.advance(61_000);
    expect(await play.cause()).toBe('SIGNAL_TIMEOUT');
    await other.run({ wait: { ...SIGNAL.wait, onTimeout: 'continue' } });
    await other.advance(61_000);
    expect(await other.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
    expect(problemsOf({ wait: { for: '1m', timeout: '1m' } })).not.toEqual([]);
  },
  async killed(play, other) {
    await play.run(SIGNAL);
    await play.kill();
    expect((await play.ended()).step).toBe('waiting');
    await play.ask(GO);
    await other.run({ wait: { for: '10s' } });
    await other.kill();
    expect(await other.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
  },
  rolled_back: (play) => callsOffWaiting(play, SIGNAL),
  async paused(play, other) {
    await play.run(SIGNAL);
    await play.ask(PAUSE);
    await play.ask(GO);
    expect(await play.ended()).toMatchObject({ step: 'succeeded', task: 'paused' });
    expect((await play.ended()).calls).toBe('before');
    await play.ask(RESUME);
    await isLateAfterPause(other, SIGNAL);
  },
};

/** The moment of a wait stays where it is: within a pause nothing comes of it, and then at once. */
export async function endsAtOnceAfterPause(play: KindPlay): Promise<void> {
  await play.run({ wait: { for: '1m' } });
  const { dueAt } = (await play.it()).normal;
  await play.ask(PAUSE);
  await play.advance(3_600_000);
  expect((await play.it()).normal).toMatchObject({ state: 'waiting', dueAt });
  expect((await play.ended()).calls).toBe('before');
  await play.ask(RESUME);
  await play.advance(1_000);
  expect(await play.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
}

const approve: Plays = {
  async succeeds(play) {
    await play.run(APPROVE);
    expect((await play.ended()).step).toBe('waiting');
    await play.ask(YES);
    expect((await play.it()).normal.output).toMatchObject({ by: 'ann', comment: 'because' });
  },
  async fails(play) {
    await play.run(APPROVE);
    await play.ask({ ...YES, isApproved: false });
    expect(await play.cause()).toBe('REJECTED');
  },
  async times_out(play, other) {
    await play.run(APPROVE);
    await play.advance(61_000);
    expect(await play.cause()).toBe('SIGNAL_TIMEOUT');
    await other.run({ approve: { ...APPROVE.approve, onTimeout: 'continue' } });
    await other.advance(61_000);
    expect(await other.ended()).toMatchObject({ step: 'succeeded', task: 'succeeded' });
  },
  async killed(play) {
    await play.run(APPROVE);
    await play.kill();
    expect((await play.ended()).step).toBe('waiting');
    await play.ask(YES);
  },
  async rolled_back(play) {
    await callsOffWaiting(play, APPROVE);
    expect(await play.ask(YES)).toBe('ILLEGAL_ACTION');
  },
  async paused(play, other) {
    await play.run(APPROVE);
    await play.ask(PAUSE);
    await play.ask(YES);
    expect(await play.ended()).toMatchObject({ step: 'succeeded', task: 'paused' });
    expect((await play.ended()).calls).toBe('before');
    await play.ask(RESUME);
    await isLateAfterPause(other, APPROVE);
  },
};

/** A person has a task go back while its step waits. */
async function callsOffWaiting(play: KindPlay, it: JsonObject): Promise<void> {
  await play.run(it);
  expect((await play.ended()).step).toBe('waiting');
  expect(await play.ask(ROLL_BACK)).toBe('committed');
  expect((await play.it()).normal.message).toContain('called off');
}

/** The time for a wait goes on while its task is paused; it fails once the task goes on. */
async function isLateAfterPause(play: KindPlay, it: JsonObject): Promise<void> {
  await play.run(it);
  await play.ask(PAUSE);
  await play.advance(3_600_000);
  expect((await play.ended()).step).toBe('waiting');
  await play.ask(RESUME);
  await play.advance(1_000);
  expect(await play.cause()).toBe('SIGNAL_TIMEOUT');
}

const set: Plays = {
  async succeeds(play) {
    await play.run(SET, { cpu: 4 });
    expect(play.contexts.at(-1)?.parameters).toMatchObject({ size: 4 });
  },
  async fails(play) {
    await play.run({ ...SET, set: { size: '{% boom %}' } });
    expect(await play.cause()).toBe('EXPRESSION_FAILED');
  },
  times_out: (play) => neverTimesOut(play, SET),
  killed: (play) => isAskedAnew(play, SET),
  async rolled_back(play, other) {
    await isCalledOffUnstarted(play, SET);
    await goesBackLater(other, SET);
    expect((await other.ended()).calls).toContain('undo after, undo work, undo before');
  },
  paused: (play) => isAskedAfterPause(play, SET),
};

const succeed: Plays = {
  async succeeds(play) {
    await play.run(SUCCEED, { cpu: 4 });
    expect((await play.it()).normal.output).toEqual({ output: 4 });
    expect((await play.task()).runs[2]?.normal.state).toBe('pending');
  },
  async fails(play) {
    await play.run({ succeed: { output: '{% boom %}' } });
    expect(await play.cause()).toBe('EXPRESSION_FAILED');
  },
  times_out: (play) => neverTimesOut(play, SUCCEED),
  killed: (play) => isAskedAnew(play, SUCCEED),
  async rolled_back(play, other) {
    await isCalledOffUnstarted(play, SUCCEED);
    await other.run(SUCCEED);
    expect(await other.ask(ROLL_BACK)).toBe('ILLEGAL_ACTION');
    expect(await other.ask(UNDO)).toBe('committed');
    expect((await other.ended()).calls).toBe('before, undo before');
  },
  paused: (play) => isAskedAfterPause(play, SUCCEED),
};

const fail: Plays = {
  async succeeds(play) {
    await play.run({ ...FAIL, if: '{% isSmall %}' }, { isSmall: false });
  },
  async fails(play) {
    await play.run(FAIL, { cpu: 'one is too few' });
    expect(await play.cause()).toBe('TOO_SMALL');
    expect((await play.it()).normal.message).toBe('one is too few');
  },
  times_out: (play) => neverTimesOut(play, FAIL),
  killed: (play) => isAskedAnew(play, FAIL),
  rolled_back: (play) => isCalledOffUnstarted(play, FAIL),
  paused: (play) => isAskedAfterPause(play, FAIL),
};

/** It has no time to set, and takes none but that of its expressions. */
async function neverTimesOut(play: KindPlay, it: JsonObject): Promise<void> {
  expect(problemsOf(it)).toEqual([]);
  expect(problemsOf({ ...it, timeout: '1m' })).toEqual(['UNKNOWN_MEMBER']);
  play.holdQuestions();
  await play.run(it, { cpu: 4 });
  await play.advance(3_600_000);
  expect((await play.ended()).step).toBe('queued');
  await play.answer();
}

/** Its process is killed before the values of its expressions are known. */
export async function isAskedAnew(play: KindPlay, it: JsonObject): Promise<void> {
  play.holdQuestions();
  await play.run(it, { cpu: 4 });
  expect((await play.ended()).step).toBe('queued');
  await play.kill();
}

/** A person has its task go back before the values of its expressions are known. */
async function isCalledOffUnstarted(play: KindPlay, it: JsonObject): Promise<void> {
  play.holdQuestions();
  await play.run(it, { cpu: 4 });
  expect(await play.ask(ROLL_BACK)).toBe('committed');
  await play.answer();
}

/** A person has its task go back while the step after it runs. */
export async function goesBackLater(play: KindPlay, it: JsonObject): Promise<void> {
  play.hold('after');
  await play.run(it, { cpu: 4 });
  expect((await play.ended()).step).toBe('succeeded');
  expect(await play.ask(ROLL_BACK)).toBe('committed');
  await play.advance(10_000);
}

/** A person pauses its task before the values of its expressions are known. */
async function isAskedAfterPause(play: KindPlay, it: JsonObject): Promise<void> {
  play.holdQuestions();
  await play.run(it, { cpu: 4 });
  await play.ask(PAUSE);
  await play.answer();
  expect(await play.ended()).toEqual({ step: 'queued', task: 'paused', calls: 'before' });
  await play.ask(RESUME);
}

/** Of the kinds that hold no steps. */
export const LEAF_PLAYS = { normal, wait, approve, set, succeed, fail } as const satisfies Partial<
  Record<KindName, Plays>
>;
