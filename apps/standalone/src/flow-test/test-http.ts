import { abortable } from '#machine';
import { AddressRefused, exchange, type Received, type Sent } from '#outbound';
import type { HttpOptions } from '../../../http/src/index.js';
import type { FlowTestOptions } from './flow-test.js';

/** A request of module `http`, as a test answers it. */
export interface TestedRequest {
  readonly method: string;
  readonly url: string;
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; null: none. */
  readonly body: string | null;
}

/** The answer of a test to a request of module `http`. */
export interface TestedResponse {
  /** Default: 200. */
  readonly status?: number;
  /** By names in small letters. Default: none, or those of JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is, any other value as JSON. Default: an empty one. */
  readonly body?: unknown;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;

/** The network of a test: its function answers, this machine is reached, all else is refused. */
export function testNetwork(
  answer: FlowTestOptions['http'],
): Required<Pick<HttpOptions, 'allow' | 'exchange' | 'resolve'>> {
  return {
    // Every address may be asked for: `exchange` decides. No server of names is asked.
    allow: ['0.0.0.0/0', '::/0'],
    resolve: () => Promise.resolve(LOOPBACK_ADDRESSES),
    exchange: async (sent, options) => {
      const asked = Promise.resolve(answer?.(requestOf(sent)));
      const scripted = await abortable(asked, options.signal);
      if (scripted !== undefined) return receivedOf(scripted);
      const { href, hostname } = sent.url;
      if (LOOPBACK.test(hostname)) return exchange(sent, options);
      const remedy = 'Answer it in the option `http` of startFlowTest';
      throw new AddressRefused(`the test does not answer ${sent.method} ${href}. ${remedy}`);
    },
  };
}

function requestOf({ body, headers, method, url }: Sent): TestedRequest {
  return { method, url: url.href, headers, body };
}

function receivedOf({ body = '', headers, status = 200 }: TestedResponse): Received {
  if (typeof body === 'string') return { status, headers: headers ?? {}, body: Buffer.from(body) };
  const json = { 'content-type': 'application/json' };
  return { status, headers: { ...json, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}
