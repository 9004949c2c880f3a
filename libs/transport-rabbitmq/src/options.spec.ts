import { describe, expect, it } from '@jest/globals';
import { TransportUnavailable } from '#ports';
import { FakeEntropy, RecordingObserver, stepDispatch, SystemClock, within } from '#testing';
import { completeOptions } from './options.js';
import { openRabbitmqTransport } from './rabbitmq-transport.js';

const SECRET = 's3cr3t-word';

function open(url: string, observer = new RecordingObserver()) {
  const entropy = new FakeEntropy();
  return openRabbitmqTransport({
    urls: [url],
    observer,
    entropy,
    clock: new SystemClock(),
    waitMs: 5_000,
  });
}

describe('the broker URL', () => {
  it.each([`amqp://me:${SECRET}@:bad:`, `http://me:${SECRET}@127.0.0.1`])(
    'is refused without a word of its password: %#',
    async (url) => {
      const error: unknown = await open(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TypeError);
      expect(told(error)).not.toContain(SECRET);
    },
  );

  it('shows its password in no notice and no error while the broker is away', async () => {
    const observer = new RecordingObserver();
    const transport = await open(`amqp://me:${SECRET}@127.0.0.1:1`, observer);
    const refused = transport.publish([stepDispatch('m', 'a')]);
    const error: unknown = await within('refused', refused).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportUnavailable);
    await transport.close();
    expect(observer.named('broker_unreachable').length).toBeGreaterThan(0);
    const all = [error, ...observer.notices, ...observer.notices.map((notice) => notice.error)];
    expect(all.map(told).join('\n')).not.toContain(SECRET);
  });
});

describe('the URLs of a cluster', () => {
  const parts = { clock: new SystemClock(), entropy: new FakeEntropy() };

  it('keep the heartbeat that they name', () => {
    const urls = ['amqp://one/v', 'amqp://two/?heartbeat=60&frameMax=8192'];
    const completed = completeOptions({ ...parts, observer: new RecordingObserver(), urls });
    expect(completed.urls).toEqual(['amqp://one/v?heartbeat=10', urls[1]]);
  });
});

/** Everything that a logger could get out of it. */
function told(value: unknown): string {
  const { message, stack, cause } = value as Error;
  return `${message} ${stack} ${JSON.stringify(value)} ${JSON.stringify(cause)} ${String(cause)}`;
}
