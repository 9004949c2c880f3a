import { describe, expect, it } from '@jest/globals';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { Session } from './session.js';
import { SessionWatch } from './session-watch.js';

const LEASE_MS = 10_000;
const INTERVAL_MS = 1_000;
const settings = { leaseMs: LEASE_MS, governanceIntervalMs: INTERVAL_MS, owner: 'gateway' };

/** A process that watches, and the session of another one. */
async function given(home?: string) {
  const gone = new Set<string>();
  const homes = { own: 'here 1', isGone: (at: string) => gone.has(at) };
  const clock = new ManualClock();
  const sessions = new MemoryStore();
  const parts = { clock, homes, sessions, observer: new RecordingObserver() };
  const session = new Session(parts, settings);
  const watch = new SessionWatch(parts, settings, session);
  await sessions.openSession('other', LEASE_MS, home === undefined ? {} : { home });
  /** Looks once in each interval; resolves to what was over in the last look. */
  const lookFor = async (ms: number): Promise<readonly string[]> => {
    let over = await watch.look();
    for (let left = ms; left > 0; left -= INTERVAL_MS) {
      await clock.advance(INTERVAL_MS);
      over = await watch.look();
    }
    return over;
  };
  return { clock, gone, lookFor, sessions, session, watch };
}

describe('a session of another process', () => {
  it('lives for as long as it is renewed', async () => {
    const { lookFor, sessions } = await given();
    for (let round = 0; round < 10; round++) {
      expect(await lookFor(LEASE_MS - INTERVAL_MS)).toEqual([]);
      await sessions.renewSession('other');
    }
  });

  it('is ended when its beat stayed the same for its lease', async () => {
    const { lookFor, sessions } = await given();
    expect(await lookFor(LEASE_MS - INTERVAL_MS)).toEqual([]);
    expect(await lookFor(INTERVAL_MS)).toEqual(['other']);
    expect(await sessions.renewSession('other')).toBe('ended');
  });

  it('is ended at once when its process is known to be gone', async () => {
    const { gone, lookFor, sessions } = await given('here 2');
    expect(await lookFor(2 * INTERVAL_MS)).toEqual([]);
    gone.add('here 2');
    expect(await lookFor(0)).toEqual(['other']);
    expect(await sessions.renewSession('other')).toBe('ended');
  });

  it('is ended by the process that is started in its place, which looks after no others', async () => {
    const { gone, sessions, watch } = await given('here 2');
    gone.add('here 2');
    await sessions.openSession('elsewhere', LEASE_MS, { home: 'there 2' });
    await sessions.openSession('unknown', LEASE_MS);
    await watch.endGone();
    const over = (await sessions.listSessions()).filter(({ isOver }) => isOver);
    expect(over.map(({ session }) => session)).toEqual(['other']);
  });

  it('is silent once it owes a renewal, until there is one, and is over after its lease', async () => {
    const { lookFor, sessions, watch } = await given();
    const standing = async () => (await watch.standings()).get('other');
    await lookFor(3 * INTERVAL_MS);
    expect(await standing()).toEqual({ isOver: false, silentMs: null });
    await lookFor(INTERVAL_MS);
    expect(await standing()).toEqual({ isOver: false, silentMs: 4 * INTERVAL_MS });
    await sessions.renewSession('other');
    expect(await standing()).toEqual({ isOver: false, silentMs: null });
    await lookFor(INTERVAL_MS);
    expect(await standing()).toEqual({ isOver: false, silentMs: null });
    await lookFor(LEASE_MS);
    expect(await standing()).toMatchObject({ isOver: true });
    await sessions.openSession('other~2', LEASE_MS);
    await lookFor(INTERVAL_MS);
    expect(await standing()).toEqual({ isOver: false, silentMs: null });
  });

  it('is silent within 5 s of its last renewal, whenever that was between two looks', async () => {
    for (let afterMs = 0; afterMs < INTERVAL_MS; afterMs += INTERVAL_MS / 10) {
      const { clock, sessions, watch } = await given();
      const standing = async () => (await watch.standings()).get('other');
      await watch.look();
      await clock.advance(afterMs);
      await sessions.renewSession('other');
      const renewedAt = clock.monotonic();
      await clock.advance(INTERVAL_MS - afterMs);
      while ((await standing())?.silentMs === null) {
        if (clock.monotonic() % INTERVAL_MS === 0) await watch.look();
        await clock.advance(INTERVAL_MS / 20);
      }
      const tookMs = clock.monotonic() - renewedAt;
      expect(tookMs).toBeLessThan(5_000);
      // A renewal that comes in its time, a third of the lease after the last, is none too early.
      expect(tookMs).toBeGreaterThan(LEASE_MS / 3);
    }
  });

  it('is given no less time than its renewals take, where its lease is short', async () => {
    const { clock, sessions, watch } = await given();
    await sessions.openSession('quick', 600);
    await watch.look();
    await clock.advance(299);
    expect((await watch.standings()).get('quick')).toEqual({ isOver: false, silentMs: null });
    await clock.advance(1);
    expect((await watch.standings()).get('quick')).toEqual({ isOver: false, silentMs: 300 });
  });

  it('is not silent for time in which the store did not answer', async () => {
    const { clock, lookFor, sessions, watch } = await given();
    await lookFor(INTERVAL_MS);
    sessions.down = true;
    await expect(watch.look()).rejects.toThrow('down');
    await clock.advance(LEASE_MS);
    await expect(watch.look()).rejects.toThrow('down');
    sessions.down = false;
    await lookFor(INTERVAL_MS);
    expect((await watch.standings()).get('other')).toEqual({ isOver: false, silentMs: null });
  });

  it('is not ended when it was renewed after the look', async () => {
    const { clock, lookFor, sessions, watch } = await given();
    await lookFor(LEASE_MS - INTERVAL_MS);
    const list = sessions.listSessions.bind(sessions);
    sessions.listSessions = async () => {
      const listed = await list();
      await sessions.renewSession('other');
      return listed;
    };
    await clock.advance(INTERVAL_MS);
    expect(await watch.look()).toEqual([]);
    expect(await sessions.renewSession('other')).toBe('alive');
  });

  it('is not judged by time in which the store did not answer', async () => {
    const { clock, lookFor, sessions, watch } = await given();
    await lookFor(LEASE_MS / 2);
    sessions.down = true;
    await expect(watch.look()).rejects.toThrow('down');
    await clock.advance(10 * LEASE_MS);
    sessions.down = false;
    expect(await lookFor(LEASE_MS - INTERVAL_MS)).toEqual([]);
    expect(await lookFor(INTERVAL_MS)).toEqual(['other']);
  });

  it('is not judged by time in which this process could not renew its own', async () => {
    const { lookFor, session, sessions } = await given();
    await session.renew();
    await lookFor(LEASE_MS / 2);
    sessions.renewSession = () => Promise.reject(new Error('the disk is full'));
    await expect(session.renew()).rejects.toThrow('full');
    expect(await lookFor(LEASE_MS - INTERVAL_MS)).toEqual([]);
    expect(await lookFor(INTERVAL_MS)).toEqual(['other']);
  });

  it('is not judged by time in which this process stood still', async () => {
    const { clock, lookFor } = await given();
    await lookFor(INTERVAL_MS);
    await clock.advance(3 * LEASE_MS);
    expect(await lookFor(LEASE_MS - INTERVAL_MS)).toEqual([]);
    expect(await lookFor(INTERVAL_MS)).toEqual(['other']);
  });

  it('is told from one that is over without a record, and from one that lives', async () => {
    const { watch } = await given();
    const asked = new Set(['other', 'nobody']);
    expect(await watch.overAmong(asked)).toEqual(new Set(['nobody']));
  });
});

it('a process never ends its own session', async () => {
  const { lookFor, session, sessions } = await given();
  await session.renew();
  await lookFor(3 * LEASE_MS);
  expect(await sessions.renewSession('gateway')).toBe('alive');
});

it('a session that is over stays listed while it holds something, and is forgotten later', async () => {
  const { clock, lookFor, sessions, watch } = await given();
  await sessions.closeSession('other');
  for (let round = 0; round < 5; round++) {
    expect(await watch.look()).toEqual(['other']);
    await watch.held('other', true);
    await clock.advance(INTERVAL_MS);
  }
  let looks = 0;
  for (let round = 0; round < 200; round++) {
    const [over] = await lookFor(INTERVAL_MS);
    if (over === undefined) continue;
    looks++;
    await watch.held(over, false);
  }
  expect(looks).toBeLessThan(10);
  expect(await sessions.listSessions()).toEqual([]);
});
