import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { ManualClock, settle } from '#testing';
import { BodyRoom, LargeBodies, READ_AWAY_MAX } from './body-room.js';
import type { Problem } from './problems.js';

const MIB = 1024 * 1024;

class Sender {
  readonly payload = new PassThrough();
  problem: Problem | null = null;
  body: Buffer | undefined;
  calls = 0;

  constructor(room: BodyRoom, limit = 4 * MIB) {
    const done = (error: Problem | null, body?: Buffer): void => {
      this.calls += 1;
      this.problem = error;
      this.body = body;
    };
    room.read(this.payload as unknown as IncomingMessage, { limit, done });
  }

  async send(...pieces: readonly (string | number)[]): Promise<this> {
    for (const piece of pieces) {
      this.payload.write(typeof piece === 'string' ? piece : Buffer.alloc(piece));
      await settle();
    }
    return this;
  }

  async end(): Promise<this> {
    this.payload.end();
    await settle();
    return this;
  }
}

function open(bytes = 8 * MIB): { clock: ManualClock; room: BodyRoom } {
  const clock = new ManualClock();
  return { clock, room: new BodyRoom({ clock, bytes }) };
}

describe('bodies in reading', () => {
  it('are given whole, and take no room after that', async () => {
    const { room } = open();
    const sender = await new Sender(room).send('ab', 'c');
    expect(room.bytes).toBeGreaterThan(3);
    expect((await sender.end()).body?.toString()).toBe('abc');
    expect((await new Sender(room).end()).body?.toString()).toBe('');
    expect(room.bytes).toBe(0);
  });

  it('take no more than their room all together, whoever is silent', async () => {
    const { room } = open();
    const senders = [new Sender(room), new Sender(room), new Sender(room)];
    for (const sender of senders) await sender.send(MIB, MIB, MIB - 2_000);
    expect(senders.map(({ problem }) => problem?.code)).toEqual([
      undefined,
      undefined,
      'OVERLOADED',
    ]);
    expect(senders[2]?.problem?.headers).toEqual({ 'retry-after': '1' });
    expect(room.bytes).toBeLessThanOrEqual(6 * MIB);
  });

  it('leave room to small ones', async () => {
    const { room } = open();
    await new Sender(room, 8 * MIB).send(3 * MIB, 2 * MIB);
    const large = await new Sender(room).send(2 * MIB);
    expect(large.problem?.code).toBe('OVERLOADED');
    const small = await (await new Sender(room).send(60 * 1024)).end();
    expect(small.body).toHaveLength(60 * 1024);
  });

  it('count more than their bytes when they come in small pieces', async () => {
    const { room } = open(10_000);
    const sender = new Sender(room);
    for (let count = 0; count < 50; count += 1) await sender.send('x');
    expect(sender.problem?.code).toBe('OVERLOADED');
  });

  it('are refused when they are too long, once, and the rest is thrown away', async () => {
    const { room } = open();
    const sender = await new Sender(room, 10).send('0123456789', 'x', 'y');
    expect(sender.problem?.code).toBe('PAYLOAD_TOO_LARGE');
    expect(room.bytes).toBe(0);
    await sender.send(READ_AWAY_MAX);
    expect(sender.payload.destroyed).toBe(true);
    expect(sender.calls).toBe(1);
  });

  it('must be there in ten seconds, and one more for each MiB that is taken', async () => {
    const { clock, room } = open();
    const [plain, batch] = [new Sender(room, 300_000), new Sender(room, 4 * MIB)];
    await plain.send('{');
    await batch.send('{');
    await clock.advance(9_000);
    expect(plain.problem).toBeNull();
    await clock.advance(1_000);
    expect(plain.problem?.code).toBe('BODY_TOO_SLOW');
    expect(batch.problem).toBeNull();
    await clock.advance(4_000);
    expect(batch.problem?.code).toBe('BODY_TOO_SLOW');
    expect(room.bytes).toBe(0);
    // A client that does not go by itself is cut off.
    await clock.advance(2_000);
    expect([plain.payload.destroyed, batch.payload.destroyed]).toEqual([true, true]);
    await clock.advance(1_000);
    expect(clock.timers).toBe(0);
  });

  it('that break off are an error, and take no room', async () => {
    const { room } = open();
    const sender = await new Sender(room).send('{');
    sender.payload.destroy();
    await settle();
    expect(sender.problem?.code).toBe('INVALID_REQUEST');
    expect([room.bytes, sender.calls]).toEqual([0, 1]);
  });
});

describe('large bodies', () => {
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
});
