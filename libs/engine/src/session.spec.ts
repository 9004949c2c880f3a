import { expect, it } from '@jest/globals';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { Session } from './session.js';

const LEASE_MS = 10_000;
const settings = { leaseMs: LEASE_MS, owner: 'executor' };

function given(news?: { readonly ended: () => void; readonly renewed: () => void }) {
  const clock = new ManualClock();
  const sessions = new MemoryStore();
  const parts = { clock, sessions, observer: new RecordingObserver() };
  const session = new Session(parts, settings, news);
  return { clock, sessions, session };
}

it('nothing may be claimed before the session was begun, and all may be once it was', async () => {
  const { session } = given();
  expect([session.isFresh, session.slotsOf(4)]).toEqual([false, 0]);
  expect(await session.renew()).toBe(true);
  expect([session.isFresh, session.slotsOf(4)]).toEqual([true, 4]);
});

it('a process whose renewals are late takes less, then nothing, until it has caught up', async () => {
  const { clock, session } = given();
  await session.renew();
  await clock.advance(LEASE_MS / 2 + 1);
  expect(session.slotsOf(4)).toBe(2);
  await clock.advance(LEASE_MS / 4);
  expect(session.slotsOf(4)).toBe(0);
  await session.renew();
  expect(session.slotsOf(4)).toBe(4);
});

it('the age of a session counts from when its renewal set out, not from its answer', async () => {
  const { clock, session, sessions } = given();
  const renew = sessions.renewSession.bind(sessions);
  sessions.renewSession = async (name) => {
    await clock.sleep(LEASE_MS);
    return renew(name);
  };
  const renewed = session.renew();
  await clock.advance(LEASE_MS);
  expect(await renewed).toBe(true);
  expect(session.isFresh).toBe(false);
});

it('goes on under a new name when somebody has ended it, and tells so once', async () => {
  let told = 0;
  const { session, sessions } = given({ ended: () => told++, renewed: () => {} });
  await session.renew();
  expect(session.name).toBe('executor');
  await sessions.closeSession('executor');
  expect(await Promise.all([session.renew(), session.renew()])).toEqual([false, false]);
  expect([session.name, session.isFresh, told]).toEqual(['executor~2', false, 1]);
  expect(await session.renew()).toBe(true);
  expect(session.isFresh).toBe(true);
});

it('is over at once when its process stops, and never begun again', async () => {
  const { session, sessions } = given();
  await session.renew();
  await session.close();
  expect(await session.renew()).toBe(false);
  expect(await sessions.listSessions()).toMatchObject([{ session: 'executor', isOver: true }]);
});
