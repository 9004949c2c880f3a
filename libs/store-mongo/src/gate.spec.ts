import { describe, expect, it } from '@jest/globals';
import {
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
} from 'mongodb';
import { ManualClock } from '#testing';
import { Gate } from './gate.js';

const MS = 1_000;

/** A server that answers when the test says so. */
function world() {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  const sent: { answer: (text: string) => void; fail: (error: Error) => void }[] = [];
  const operation = (): Promise<string> =>
    new Promise((answer, fail) => {
      sent.push({ answer, fail });
    });
  /** A call, and what came of it. */
  const call = (ms = MS): Promise<string> =>
    gate.pass(operation, ms).catch((error: Error) => error.name);
  return { call, clock, gate, sent };
}

/** A world whose first call was not answered. */
async function away() {
  const made = world();
  const first = made.call();
  await made.clock.advance(MS);
  expect(await first).toBe('OperationTimeout');
  return made;
}

describe('the gate before a server', () => {
  it('lets every call pass while the server answers', async () => {
    const { call, sent } = world();
    const calls = [call(), call(), call()];
    expect(sent).toHaveLength(3);
    for (const { answer } of sent) answer('yes');
    expect(await Promise.all(calls)).toEqual(['yes', 'yes', 'yes']);
  });

  it('sends one call at a time from the first that was not answered, where none was', async () => {
    const { call, clock, sent } = await away();
    const calls = [call(), call(), call()];
    await clock.advance(0);
    expect(sent).toHaveLength(2);
    await clock.advance(MS);
    expect(await Promise.all(calls)).toEqual(Array(3).fill('OperationTimeout'));
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it('tries the newest next: it has the most time left', async () => {
    const { call, clock, sent } = await away();
    const tried = call(MS / 2);
    const older = call();
    const newer = call();
    await clock.advance(MS / 2);
    expect(await tried).toBe('OperationTimeout');
    expect(sent).toHaveLength(3);
    sent[2]!.answer('yes');
    expect(await newer).toBe('yes');
    sent[3]!.answer('too');
    expect(await older).toBe('too');
  });

  it('sends twice as many with each round trip, and then all', async () => {
    const { call, clock, sent } = await away();
    const calls = Array.from({ length: 100 }, () => call());
    const sizes: number[] = [];
    for (let answered = 1; sent.length < 101;) {
      await clock.advance(0);
      const size = sent.length - answered;
      sizes.push(size);
      for (const { answer } of sent.slice(answered)) answer('yes');
      answered += size;
      await clock.advance(0);
    }
    expect(sizes.slice(0, 4)).toEqual([1, 2, 4, 8]);
    expect(sizes.length).toBeLessThan(7);
    for (const { answer } of sent) answer('yes');
    await Promise.all(calls);
  });

  it('takes an error that the server told for an answer', async () => {
    const { call, clock, sent } = await away();
    const calls = [call(), call(), call()];
    await clock.advance(0);
    sent[1]!.fail(new MongoServerError({ message: 'no primary' }));
    await clock.advance(0);
    expect(sent).toHaveLength(4);
    for (const { answer } of sent) answer('yes');
    await Promise.all(calls);
  });

  it('takes an error of the network for no answer, also where the driver wraps it', async () => {
    const { call, clock, sent } = await away();
    const calls = [call(), call(), call()];
    await clock.advance(0);
    sent[1]!.fail(new MongoBulkWriteError(new MongoNetworkError('timed out'), {} as never));
    await clock.advance(0);
    expect(sent).toHaveLength(3);
    await clock.advance(MS);
    expect(await Promise.all(calls)).toContain('MongoBulkWriteError');
  });

  it('sends half as many where some calls were answered and one was not', async () => {
    const { call, clock, sent } = world();
    const slow = call();
    await clock.advance(MS / 2);
    const quick = call();
    await clock.advance(MS / 4);
    sent[1]!.answer('yes');
    await quick;
    await clock.advance(MS / 4);
    expect(await slow).toBe('OperationTimeout');
    for (let nth = 0; nth < 20; nth += 1) void call();
    await clock.advance(0);
    expect(sent).toHaveLength(2 + 8);
  });

  it('falls once for all that was sent before', async () => {
    const { call, clock, sent } = world();
    const before = Array.from({ length: 3 }, () => call());
    await clock.advance(1);
    sent[0]!.fail(new MongoNetworkError('reset'));
    await clock.advance(1);
    const after = Array.from({ length: 4 }, () => call());
    for (const { answer } of sent.slice(1, 2)) answer('yes');
    await clock.advance(0);
    const passed = sent.length;
    sent[2]!.fail(new MongoNetworkError('reset'));
    await clock.advance(0);
    expect(sent.length).toBeGreaterThan(passed);
    for (const { answer } of sent) answer('yes');
    await clock.advance(0);
    for (const { answer } of sent) answer('yes');
    await clock.advance(0);
    for (const { answer } of sent) answer('yes');
    await Promise.all([...before, ...after]);
  });

  it('takes an answer to a call that was given up for an answer', async () => {
    const { call, clock, sent } = await away();
    const calls = [call(), call()];
    sent[0]!.answer('late');
    await clock.advance(0);
    expect(sent).toHaveLength(3);
    for (const { answer } of sent) answer('yes');
    expect(await Promise.all(calls)).toEqual(['yes', 'yes']);
  });

  it('bounds a call’s time, waiting included', async () => {
    const { call, clock, sent } = await away();
    void call(3 * MS);
    const waits = call();
    await clock.advance(MS);
    expect(await waits).toBe('OperationTimeout');
    expect(sent).toHaveLength(2);
  });

  it('sends one at a time too where the line breaks', async () => {
    const { call, clock, sent } = world();
    const broken = call();
    sent[0]!.fail(new MongoNetworkError('reset'));
    expect(await broken).toBe('MongoNetworkError');
    void call();
    void call();
    await clock.advance(0);
    expect(sent).toHaveLength(2);
  });

  it('stays open for a fault of this side, which says nothing of the server', async () => {
    const { call, sent } = world();
    const faulty = call();
    sent[0]!.fail(new MongoInvalidArgumentError('not a document'));
    await faulty;
    void call();
    void call();
    expect(sent).toHaveLength(3);
  });

  it('tries the next where the one that is tried was at fault itself', async () => {
    const { call, clock, sent } = await away();
    const faulty = call();
    const next = call();
    await clock.advance(0);
    sent[1]!.fail(new MongoInvalidArgumentError('not a document'));
    await faulty;
    await clock.advance(0);
    sent[2]!.answer('yes');
    expect(await next).toBe('yes');
  });
});
