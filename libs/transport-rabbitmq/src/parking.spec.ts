import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EnvelopeWriter, type Incoming } from './envelope.js';
import { digestOf, parkedMessage } from './parking.js';

async function parked(bytes: number): Promise<ReturnType<typeof parkedMessage>> {
  const content = Buffer.alloc(bytes, 'x');
  const incoming = { content, properties: { headers: { mine: 1 } } } as unknown as Incoming;
  const digest = await digestOf(content);
  const writer = new EnvelopeWriter('w');
  return parkedMessage(incoming, { queue: 'q', reason: 'because', digest, writer });
}

describe('a message that is parked', () => {
  it('keeps a body of 64 KiB whole', async () => {
    const { content, properties } = await parked(65_536);
    expect(content).toHaveLength(65_536);
    expect(Object.keys(properties.headers as object)).toEqual([
      'mine',
      'x-backstep-reason',
      'x-backstep-queue',
    ]);
  });

  it('has the beginning of a longer one, and its length and hash', async () => {
    const { content, properties } = await parked(1_000_000);
    expect(content).toHaveLength(65_536);
    // The cut-off part must not stay in memory with the part that is kept.
    expect(content.buffer.byteLength).toBeLessThan(1_000_000);
    expect(properties.headers).toMatchObject({
      'x-backstep-length': 1_000_000,
      'x-backstep-sha256': createHash('sha256').update('x'.repeat(1_000_000)).digest('hex'),
    });
  });
});
