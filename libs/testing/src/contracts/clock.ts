import assert from 'node:assert/strict';
import { createAbort } from '#machine';
import type { Clock } from '#ports';
import { within } from '../deadline.js';
import { testRunner } from './runner.js';

/** A clock under test. */
interface ClockFixture {
  readonly clock: Clock;
  /** Lets so much time pass. Absent: it passes by itself. */
  advance?(ms: number): Promise<void>;
}

/** Before this no test has run: 2023-11-14. */
const EARLIEST_MS = 1_700_000_000_000;
const DAY_MS = 24 * 3_600_000;
const READS = 10_000;
/** Timers of a machine count whole milliseconds, from the start of one that has begun already. */
const EARLY_MS = 1;

type ClockRule = (name: string, body: (fixture: ClockFixture) => Promise<void>) => void;

/** The contract of every clock; an adapter's spec is a call of this. */
export function clockContract(name: string, open: () => ClockFixture): void {
  const { describe, it } = testRunner();
  const rule: ClockRule = (ruleName, body) => it(ruleName, () => body(open()));
  describe(`clock contract: ${name}`, () => {
    describeTime(rule);
    describeTimers(rule);
    describeSleep(rule);
  });
}

function describeTime(rule: ClockRule): void {
  rule('the time of day is whole milliseconds since 1970', async ({ clock }) => {
    const now = clock.now();
    assert.ok(Number.isSafeInteger(now) && now > EARLIEST_MS, `it tells ${now}`);
  });

  rule('time does not go back', async ({ clock }) => {
    let [now, monotonic] = [clock.now(), clock.monotonic()];
    for (let read = 0; read < READS; read += 1) {
      const next = [clock.now(), clock.monotonic()] as const;
      assert.ok(next[0] >= now, `the time of day was ${now} and is ${next[0]}`);
      assert.ok(next[1] >= monotonic, `it measured ${monotonic} and measures ${next[1]}`);
      [now, monotonic] = next;
    }
  });

  rule('both times go on while one waits', async (fixture) => {
    const { clock } = fixture;
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    await passed(fixture, 20);
    assert.ok(clock.now() > now);
    assert.ok(clock.monotonic() - monotonic >= 20 - EARLY_MS);
  });
}

function describeTimers(rule: ClockRule): void {
  rule(
    'a timer fires once, not before its time, and not in the call that sets it',
    async (fixture) => {
      const { clock } = fixture;
      const [start, fired] = [clock.monotonic(), [] as number[]];
      for (const ms of [10, 0, -5]) clock.after(ms, () => fired.push(clock.monotonic() - start));
      assert.deepEqual(fired, []);
      await passed(fixture, 40);
      assert.equal(fired.length, 3);
      assert.ok(fired[2]! >= 10 - EARLY_MS, `it fired after ${fired[2]} ms`);
    },
  );

  rule('timers fire in the order of their times', async (fixture) => {
    const fired: number[] = [];
    for (const ms of [30, 10, 20]) fixture.clock.after(ms, () => fired.push(ms));
    await passed(fixture, 40);
    assert.deepEqual(fired, [10, 20, 30]);
  });

  rule('a timer that is called off does not fire, and may be called off again', async (fixture) => {
    const fired: string[] = [];
    const off = fixture.clock.after(10, () => fired.push('off'));
    const on = fixture.clock.after(10, () => fired.push('on'));
    off.cancel();
    off.cancel();
    await passed(fixture, 30);
    on.cancel();
    assert.deepEqual(fired, ['on']);
  });

  rule('a timer for more days than a machine can count waits', async (fixture) => {
    const fired: string[] = [];
    const timer = fixture.clock.after(100 * DAY_MS, () => fired.push('late'));
    await passed(fixture, 20);
    timer.cancel();
    assert.deepEqual(fired, []);
  });
}

function describeSleep(rule: ClockRule): void {
  rule('a sleep lasts as long as it shall', async (fixture) => {
    const { clock } = fixture;
    const start = clock.monotonic();
    const slept = clock.sleep(20).then(() => clock.monotonic() - start);
    await passed(fixture, 20);
    assert.ok((await within('a sleep ends', slept)) >= 20 - EARLY_MS);
  });

  rule('a sleep ends when its signal aborts, without an error', async ({ clock }) => {
    const abort = createAbort();
    const slept = clock.sleep(DAY_MS, abort.signal);
    abort.abort(new Error('enough'));
    await within('a sleep is called off', slept);
    await within('a sleep is called off before', clock.sleep(DAY_MS, abort.signal));
  });
}

/** Resolves when a timer of so long, set now, has fired. */
async function passed({ clock, advance }: ClockFixture, ms: number): Promise<void> {
  const fired = new Promise<void>((resolve) => void clock.after(ms, resolve));
  await advance?.(ms);
  await within(`a timer of ${ms} ms fires`, fired);
}
