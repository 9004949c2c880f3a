import { describe, expect, it } from '@jest/globals';
import { eventReader } from './events.js';
import type { TaskEvent } from './shapes.js';

const TEXT =
  ': hello\n\nid: 1\nevent: created\ndata: {"seq":1}\n\n: beat\n\nid: 2\ndata: {"seq":2}\n\n';

describe('an event stream', () => {
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
