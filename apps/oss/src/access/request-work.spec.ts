import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { ManualClock, settle } from '#testing';
import { type BegunWork, RequestWork } from './request-work.js';

let clock: ManualClock;
let work: RequestWork;

beforeEach(() => {
  clock = new ManualClock();
  work = new RequestWork({ clock });
});

/** A request from an address, which stands for a caller. */
function requestFrom(remoteAddress: string): FastifyRequest {
  const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
  return { socket } as unknown as FastifyRequest;
}

/** The outcomes of requests for a plan, as far as there are any. */
function plansFrom(address: string, count: number): (BegunWork | string | null)[] {
  const outcomes: (BegunWork | string | null)[] = Array.from({ length: count }, () => null);
  for (const place of outcomes.keys()) {
    work.begin(requestFrom(address), 'plan').then(
      (begun) => (outcomes[place] = begun),
      (error: Error & { code: string }) => (outcomes[place] = error.code),
    );
  }
  return outcomes;
}

function stateOf(outcome: BegunWork | string | null | undefined): string {
  if (typeof outcome === 'string') return outcome;
  return outcome ? 'works' : 'waits';
}

describe('costly work', () => {
  it('is done for two requests of a caller at a time; some wait, and the rest is refused', async () => {
    const own = plansFrom('10.0.0.1', 60);
    await settle();
    const states = own.map(stateOf);
    expect(states.slice(0, 2)).toEqual(['works', 'works']);
    expect(states.filter((state) => state === 'waits')).toHaveLength(8);
    expect(states.filter((state) => state === 'TOO_MANY_REQUESTS')).toHaveLength(50);
    expect(stateOf(plansFrom('10.0.0.2', 1)[0])).toBe('waits');
    const others = plansFrom('10.0.0.3', 1);
    await settle();
    expect(others.map(stateOf)).toEqual(['works']);
  });

  it('goes to the next caller once a place is free, and is refused after half a second', async () => {
    const all = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((address) => plansFrom(address, 3));
    await settle();
    expect(all.map((own) => own.map(stateOf))).toEqual([
      ['works', 'works', 'waits'],
      ['works', 'works', 'waits'],
      ['waits', 'waits', 'waits'],
    ]);
    (all[0]![0] as BegunWork).leave();
    (all[0]![0] as BegunWork).leave();
    await settle();
    expect(all.map((own) => own.map(stateOf))).toEqual([
      ['works', 'works', 'works'],
      ['works', 'works', 'waits'],
      ['waits', 'waits', 'waits'],
    ]);
    (all[1]![0] as BegunWork).leave();
    (all[1]![1] as BegunWork).leave();
    await settle();
    expect(all.map((own) => own.map(stateOf).at(0))).toEqual(['works', 'works', 'works']);
    await clock.advance(500);
    expect(stateOf(all[2]![2])).toBe('TOO_MANY_REQUESTS');
  });

  it('ends with the connection, whether it was begun or not', async () => {
    const first = requestFrom('10.0.0.1');
    const begun = await work.begin(first, 'plan');
    await work.begin(requestFrom('10.0.0.1'), 'plan');
    const third = requestFrom('10.0.0.1');
    const waiting = work.begin(third, 'plan');
    third.socket.emit('close');
    await expect(waiting).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(begun.signal.aborted).toBe(false);
    first.socket.emit('close');
    expect(begun.signal.aborted).toBe(true);
    const late = requestFrom('10.0.0.2');
    (late.socket as unknown as { destroyed: boolean }).destroyed = true;
    await expect(work.begin(late, 'plan')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    begun.leave();
    await expect(work.begin(requestFrom('10.0.0.1'), 'plan')).resolves.toBeDefined();
  });

  it('has two seconds for a plan', async () => {
    const { signal } = await work.begin(requestFrom('10.0.0.1'), 'plan');
    await clock.advance(1_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  it('gives its place back whatever it comes to, and leaves nothing behind', async () => {
    const request = requestFrom('10.0.0.1');
    for (let turn = 0; turn < 5; turn += 1) {
      const failing = work.run(request, 'plan', () => Promise.reject(new Error('no')));
      await expect(failing).rejects.toThrow('no');
      expect(await work.run(request, 'plan', () => Promise.resolve(turn))).toBe(turn);
    }
    expect([request.socket.listenerCount('close'), clock.timers]).toEqual([0, 0]);
  });
});
