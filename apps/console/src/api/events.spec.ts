import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventReader, readAll } from './events.js';
import type { TaskEvent } from './shapes.js';

const TEXT =
  ': hello\n\nid: 1\nevent: created\ndata: {"seq":1}\n\n: beat\n\nid: 2\ndata: {"seq":2}\n\n';

afterEach(() => void jest.useRealTimers());

describe('an event stream', () => {
  it('breaks off where nothing has come for longer than between two signs of life', async () => {
    jest.useFakeTimers();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const reading = readAll({ body }, () => {});
    jest.advanceTimersByTime(44_999);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1);
    jest.useRealTimers();
    await expect(reading).rejects.toThrow('silence');
  });

  it.each([1, 3, 7, 1_000])('is read in parts of %d characters', (size) => {
    const seen: number[] = [];
    const feed = eventReader((data) => seen.push((data as TaskEvent).seq));
    for (let at = 0; at < TEXT.length; at += size) feed(TEXT.slice(at, at + size));
    expect(seen).toEqual([1, 2]);
  });

  it('gives no event that is not whole', () => {
    const seen: unknown[] = [];
    eventReader((data) => seen.push(data))('data: {"seq":1}\n');
    expect(seen).toEqual([]);
  });
});
