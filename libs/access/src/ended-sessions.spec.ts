import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock, MemoryStore } from '#testing';
import { EndedSessions } from './ended-sessions.js';

const HOUR_MS = 3_600_000;
const ID = EndedSessions.idOf('a session');

let clock: ManualClock;
let store: MemoryStore;
let here: EndedSessions;
let there: EndedSessions;

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryStore();
  here = new EndedSessions({ keys: store.keys, clock });
  there = new EndedSessions({ keys: store.keys, clock });
});

describe('a session that was ended', () => {
  it('is ended at once here, and within two seconds in another process of the store', async () => {
    expect([await here.isEnded(ID), await there.isEnded(ID)]).toEqual([false, false]);
    await here.end('a session', clock.now() + HOUR_MS);
    expect(await here.isEnded(ID)).toBe(true);
    await clock.advance(2_000);
    expect(await there.isEnded(ID)).toBe(true);
    expect(await there.isEnded(EndedSessions.idOf('another'))).toBe(false);
  });

  it('is not kept by its secret, nor for longer than it would have been good', async () => {
    await here.end('a session', clock.now() + HOUR_MS);
    expect(JSON.stringify(await store.keys.list({ limit: 100 }))).not.toContain('a session');
    await clock.advance(HOUR_MS);
    await here.end('another', clock.now() + HOUR_MS);
    const ids = (await store.keys.list({ limit: 100 })).map(({ id }) => id);
    expect(ids).toEqual([EndedSessions.idOf('another')]);
  });
});
