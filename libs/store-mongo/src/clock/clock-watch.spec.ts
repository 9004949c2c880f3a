import { describe, expect, it } from '@jest/globals';
import { ManualClock, RecordingObserver } from '#testing';
import { ClockWatch, LOOK_EVERY_MS, MEASURE_EVERY_MS } from './clock-watch.js';
import { ScriptedServer } from './scripted-server-spec.js';
import { ServerClock } from './server-clock.js';

const HOUR_MS = 3_600_000;
/** Questions of one measurement. */
const QUESTIONS = 5;
/** Longer than a measurement takes, shorter than until the next look. */
const MEASURED_MS = 100;

/** A watch that has measured once, and found everything right. */
async function world() {
  const machine = new ManualClock();
  const server = new ScriptedServer(machine);
  const observer = new RecordingObserver();
  const clock = new ServerClock(machine, { offset: 0, error: 1 });
  const watch = new ClockWatch({ clock, machine, observer, read: server.read });
  await machine.advance(LOOK_EVERY_MS + MEASURED_MS);
  expect([server.asked, observer.notices]).toEqual([QUESTIONS, []]);
  server.asked = 0;
  const told = (): readonly string[] => observer.notices.map(({ message }) => message);
  const ahead = (): number => clock.now() - machine.monotonic();
  return { ahead, clock, machine, observer, server, told, watch };
}

describe('the watch over the server’s clock', () => {
  it('measures steadily, and says nothing while all is well', async () => {
    const { machine, server, told } = await world();
    await machine.advance(6 * MEASURE_EVERY_MS);
    expect(server.asked).toBe(6 * QUESTIONS);
    expect(told()).toEqual([]);
  });

  it.each([
    [HOUR_MS, 'forward'],
    [-HOUR_MS, 'back'],
  ])('follows when the server’s clock is set, and tells: %d', async (step, where) => {
    const { ahead, machine, observer, server, told } = await world();
    server.ahead = step;
    await machine.advance(MEASURE_EVERY_MS + MEASURED_MS);
    expect(Math.abs(ahead() - step)).toBeLessThanOrEqual(2);
    expect(told()[0]).toMatch(new RegExp(`^time jumped 3600\\.0 s ${where}: `));
    expect(observer.notices[0]).toMatchObject({ level: 'warn', name: 'clock_jumped' });
  });

  it('measures within a look when the machine slept: its monotonic time stood still', async () => {
    const { ahead, machine, observer, server } = await world();
    server.ahead = HOUR_MS;
    machine.misset(HOUR_MS);
    await machine.advance(LOOK_EVERY_MS + MEASURED_MS);
    expect(Math.abs(ahead() - HOUR_MS)).toBeLessThanOrEqual(2);
    expect(observer.notices.map(({ name }) => name)).toEqual(['clock_jumped']);
  });

  it('goes on by monotonic time while the server is away, and asks until it is back', async () => {
    const { ahead, machine, observer, server } = await world();
    server.isAway = true;
    server.ahead = HOUR_MS;
    await machine.advance(MEASURE_EVERY_MS + 10 * LOOK_EVERY_MS);
    expect(ahead()).toBe(0);
    expect(server.asked).toBeGreaterThanOrEqual(10);
    expect(new Set(observer.notices.map(({ level, name }) => `${level} ${name}`))).toEqual(
      new Set(['debug clock_unmeasured']),
    );
    server.isAway = false;
    await machine.advance(LOOK_EVERY_MS + MEASURED_MS);
    expect(Math.abs(ahead() - HOUR_MS)).toBeLessThanOrEqual(2);
  });

  it('measures at once when told to hurry', async () => {
    const { machine, server, watch } = await world();
    watch.hurry();
    await machine.advance(MEASURED_MS);
    expect(server.asked).toBe(QUESTIONS);
  });

  it('measures again when told to hurry during a measurement', async () => {
    const { machine, server, watch } = await world();
    watch.hurry();
    watch.hurry();
    await machine.advance(LOOK_EVERY_MS + MEASURED_MS);
    expect(server.asked).toBe(2 * QUESTIONS);
  });

  it('asks one question at a time, also of a slow server', async () => {
    const { machine, server } = await world();
    server.script([MEASURE_EVERY_MS, 2 * MEASURE_EVERY_MS]);
    await machine.advance(2 * MEASURE_EVERY_MS);
    expect(server.asked).toBe(1);
  });

  it('tells once how wrong the machine’s clock is, again when it changes, and when it is right', async () => {
    const { ahead, machine, observer, told } = await world();
    const turn = 3 * MEASURE_EVERY_MS;
    machine.misset(-HOUR_MS);
    await machine.advance(turn);
    machine.misset(5_000);
    await machine.advance(turn);
    machine.misset(5_900);
    await machine.advance(turn);
    machine.misset(0);
    await machine.advance(turn);
    expect(told()).toEqual([
      "this machine's clock is 3600.0 s behind the store's, whose time counts; keep it right with NTP",
      "this machine's clock is 5.0 s ahead of the store's, whose time counts; keep it right with NTP",
      "this machine's clock agrees with the store's again",
    ]);
    expect(observer.notices.map(({ level, name }) => `${level} ${name}`)).toEqual([
      'warn clock_differs',
      'warn clock_differs',
      'info clock_agrees',
    ]);
    expect(Math.abs(ahead())).toBeLessThanOrEqual(2);
  });

  it('blames no clock for what a slow line may have made', async () => {
    const { machine, server, told } = await world();
    server.script(...Array.from({ length: QUESTIONS }, () => [3_000, 0] as const));
    await machine.advance(MEASURE_EVERY_MS + QUESTIONS * 3_000);
    expect(server.asked).toBe(QUESTIONS);
    expect(told()).toEqual([]);
  });

  it('asks and tells nothing more when it is stopped', async () => {
    const { ahead, machine, server, told, watch } = await world();
    watch.hurry();
    watch.stop();
    watch.stop();
    server.isAway = true;
    watch.hurry();
    await machine.advance(3 * MEASURE_EVERY_MS);
    expect([server.asked, machine.timers, told(), ahead()]).toEqual([1, 0, [], 0]);
  });
});
