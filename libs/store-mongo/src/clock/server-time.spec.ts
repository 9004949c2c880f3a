import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ManualClock } from '#testing';
import { fuzzBudget } from '../../../../test/fuzz/budget.js';
import { type Measurement, measureOffset } from './server-time.js';
import { ScriptedServer, type Trip } from './scripted-server-spec.js';

const HOUR_MS = 3_600_000;

function world() {
  const clock = new ManualClock();
  const server = new ScriptedServer(clock);
  const measure = async (...trips: readonly Trip[]): Promise<Measurement> => {
    server.script(...trips);
    const measured = measureOffset(server.read, clock);
    await clock.advance(10_000);
    return measured;
  };
  return { clock, measure, server };
}

describe('a measurement of the server’s clock', () => {
  it('takes the middle of the round trip for the moment at which the server looked', async () => {
    const { measure, server } = world();
    server.ahead = HOUR_MS;
    const even: Trip = [40, 40];
    const measured = await measure(even, even, even, even, even);
    expect(measured).toEqual({ offset: HOUR_MS + 0.5, error: 40.5 });
  });

  it.each<readonly [string, Trip, number]>([
    ['the way there', [80, 0], 40],
    ['the way back', [0, 80], -40],
  ])('is wrong by half the round trip where all of it is %s, and says so', async (_, trip, by) => {
    const { measure } = world();
    const measured = await measure(trip, trip, trip, trip, trip);
    expect(measured).toEqual({ offset: by + 0.5, error: 40.5 });
  });

  it('believes the shortest of several round trips', async () => {
    const { measure, server } = world();
    server.ahead = -HOUR_MS;
    const measured = await measure([900, 1], [1, 700], [3, 2], [60, 60], [400, 0]);
    expect(measured).toEqual({ offset: -HOUR_MS + 1, error: 3 });
    expect(server.asked).toBe(5);
  });

  it('believes what came later where the clock was set meanwhile', async () => {
    const { measure, server } = world();
    server.onRead = () => {
      if (server.asked === 2) server.ahead = HOUR_MS;
    };
    const measured = await measure([1, 1], [1, 1], [30, 30], [40, 40], [20, 20]);
    expect(measured).toEqual({ offset: HOUR_MS + 0.5, error: 20.5 });
  });

  it('comes to nothing where the server does not answer', async () => {
    const { clock, server } = world();
    server.isAway = true;
    const refused = expect(measureOffset(server.read, clock)).rejects.toThrow('away');
    await clock.advance(10);
    await refused;
  });

  it('is never wrong by more than it says, whatever the line does', async () => {
    const delay = fc.integer({ min: 0, max: 2_000 });
    const trips = fc.array(fc.tuple(delay, delay), { minLength: 5, maxLength: 5 });
    const ahead = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    await fc.assert(
      fc.asyncProperty(trips, ahead, async (someTrips, someAhead) => {
        const { clock, server } = world();
        server.ahead = someAhead;
        server.script(...someTrips);
        const measuring = measureOffset(server.read, clock);
        await clock.advance(20_000);
        const { error, offset } = await measuring;
        const shortest = Math.min(...someTrips.map(([there, back]) => there + back));
        expect(error).toBe(shortest / 2 + 0.5);
        // Numbers of this size have four digits after the point.
        expect(Math.abs(offset - someAhead)).toBeLessThanOrEqual(error + 0.001);
      }),
      fuzzBudget(100),
    );
  });
});
