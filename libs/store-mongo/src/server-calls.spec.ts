import { describe, expect, it } from '@jest/globals';
import { type Collection, MongoBulkWriteError, MongoNetworkTimeoutError } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { ManualClock, RecordingObserver } from '#testing';
import { settingsOf } from './options.js';
import { ServerCalls } from './server-calls.js';

const MS = 1_000;

/** Resolves when the call has failed as it has to. */
const failed = (call: Promise<unknown>): Promise<void> =>
  expect(call).rejects.toThrow(StoreUnavailable);

/** Calls to a server that has not answered the first one. */
async function away() {
  const clock = new ManualClock();
  const calls = new ServerCalls(
    settingsOf({
      url: 'mongodb://127.0.0.1/',
      clock,
      observer: new RecordingObserver(),
      newMark: () => 'm',
      random: () => 0.5,
      operationMs: MS,
    }),
  );
  let sent = 0;
  const never = (): Promise<never> => {
    sent += 1;
    return new Promise(() => undefined);
  };
  const first = failed(calls.call('a call', never));
  await clock.advance(MS);
  await first;
  return { calls, clock, never, sent: () => sent };
}

describe('calls to a server that does not answer', () => {
  it('are sent one at a time, and all end in time', async () => {
    const { calls, clock, never, sent } = await away();
    const ended = Array.from({ length: 20 }, () => failed(calls.call('a call', never)));
    await clock.advance(MS / 2);
    expect(sent()).toBe(2);
    await clock.advance(MS / 2);
    await Promise.all(ended);
  });

  it('do not keep questions waiting, and do not follow their answers', async () => {
    const { calls, clock, never, sent } = await away();
    const ended = Array.from({ length: 20 }, () => failed(calls.call('a call', never)));
    await clock.advance(0);
    expect(await calls.ask('a ping', async () => 'here')).toBe('here');
    await clock.advance(0);
    expect(sent()).toBe(2);
    await clock.advance(MS);
    await Promise.all(ended);
  });
});

describe('a bulk write whose socket times out', () => {
  it('is unknown, and no answer to the calls that wait', async () => {
    const { calls, clock } = await away();
    const bulkWrite = async (): Promise<never> => {
      throw new MongoBulkWriteError(new MongoNetworkTimeoutError('timed out'), NOTHING_DONE);
    };
    const collection = { bulkWrite } as unknown as Collection;
    const reports = Promise.all(Array.from({ length: 20 }, () => calls.write(collection, [], MS)));
    await clock.advance(MS);
    const unsure = { applied: 0, errors: new Map(), isSure: false };
    for (const report of await reports) expect(report).toMatchObject(unsure);
    expect(calls.isAnswered).toBe(false);
  });
});

/** The result that the driver gives with an error before any answer. */
const NOTHING_DONE = {
  insertedCount: 0,
  matchedCount: 0,
  getWriteConcernError: () => undefined,
} as never;
