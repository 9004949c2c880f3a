import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { ManualClock } from '#testing';
import { LargeBodies } from './large-bodies.js';

const BYTES = 8 * 1024 * 1024;

function open(said: string[], clock = new ManualClock()): LargeBodies {
  return new LargeBodies({ clock, collectGarbage: () => said.push('garbage') });
}

function enter(bodies: LargeBodies, name: string, said: string[]): EventEmitter {
  const reply = new EventEmitter();
  bodies.enter({
    bytes: BYTES,
    caller: name[0]!,
    reply,
    start: (gone) => said.push(gone === null ? name : `${name} gone`),
    end: () => said.push(`end ${name}`),
  });
  return reply;
}

it('works on one large body at a time, in the order in which they came', () => {
  const said: string[] = [];
  const bodies = open(said);
  const [a, , c] = ['a', 'b', 'c', 'd'].map((name) => enter(bodies, name, said));
  expect(said).toEqual(['a']);
  c?.emit('close');
  a?.emit('close');
  expect(said).toEqual(['a', 'end c', 'c gone', 'end a', 'b']);
});

it('goes turn by turn over callers', () => {
  const said: string[] = [];
  const bodies = open(said);
  const replies = ['a1', 'a2', 'a3', 'b1'].map((name) => enter(bodies, name, said));
  for (const place of [0, 1, 3, 2]) replies[place]?.emit('close');
  expect(said.filter((word) => /^[ab]/.test(word))).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('ends a turn after a second, whatever the answer waits for', async () => {
  const said: string[] = [];
  const clock = new ManualClock();
  const bodies = open(said, clock);
  const replies = ['a', 'b'].map((name) => enter(bodies, name, said));
  await clock.advance(1_001);
  expect(said).toEqual(['a', 'end a', 'b']);
  for (const reply of replies) reply.emit('close');
  expect(said).toEqual(['a', 'end a', 'b', 'end b']);
  expect(clock.timers).toBe(0);
});

it('collects the garbage after each 32 MiB, before the next one', () => {
  const said: string[] = [];
  const bodies = open(said);
  const replies = ['a', 'b', 'c', 'd', 'e'].map((name) => enter(bodies, name, said));
  for (const reply of replies) reply.emit('close');
  const ends = ['a', 'end a', 'b', 'end b', 'c', 'end c', 'd', 'end d', 'garbage', 'e', 'end e'];
  expect(said).toEqual(ends);
});
