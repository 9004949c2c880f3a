import { createHmac } from 'node:crypto';
import type { CheckedResolver } from './checked-resolver.js';
import { exchange, type Exchange, type Received, type Sent } from './exchange.js';

const REDIRECTS_MAX = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A request, and what of it may go to any origin. */
export interface Asked extends Sent {
  /** Headers that hold nothing of the asker's. Default: none. */
  readonly publicHeaders?: Readonly<Record<string, string>>;
}

/** How a request is sent, and who is told of it. */
interface Sending {
  readonly signal: AbortSignal;
  /** Statuses that are not followed, and whose body is read. */
  readonly isWanted: (status: number) => boolean;
  /** Called when something of the request may have arrived. Default: nobody asks. */
  readonly onSent?: () => void;
}

const SECRET_PREFIX = 'whsec_';

/** Thrown for an address that cannot be asked for. */
export class WrongUrl extends Error {
  override readonly name = 'WrongUrl';
}

/** Options of the client. */
interface HttpClientOptions {
  readonly resolver: CheckedResolver;
  /** Bytes of a body; more are not read. */
  readonly bodyMax: number;
  /** Sends a request over a connection of its own; by default this machine's. */
  readonly exchange?: Exchange;
}

/** Sends requests to what may be reached, and follows redirects to what may be reached. */
export class HttpClient {
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** Bytes of a body, also once it is decoded. */
  get bodyMax(): number {
    return this.#options.bodyMax;
  }

  /**
   * The last answer, without its body if its status is not wanted. A redirect to another origin
   * takes neither a body along nor other headers than the public ones. Throws `AddressRefused`,
   * `WrongUrl`, `BodyTooLarge`, and what the network throws.
   */
  async send(first: Asked, sending: Sending): Promise<Received> {
    const { isWanted } = sending;
    let sent = first;
    for (let followed = 0; ; followed += 1) {
      const received = await this.#sendOnce(sent, sending);
      const { location } = received.headers;
      const { status } = received;
      if (location === undefined || !REDIRECTS.has(status) || isWanted(status)) return received;
      if (followed === REDIRECTS_MAX) throw new WrongUrl(`more than ${REDIRECTS_MAX} redirects`);
      sent = redirected(sent, location, status);
    }
  }

  async #sendOnce(sent: Sent, { isWanted, onSent, signal }: Sending): Promise<Received> {
    const { bodyMax, exchange: send = exchange, resolver } = this.#options;
    const addresses = await resolver.addressesOf(sent.url);
    signal.throwIfAborted();
    const onConnected = onSent ?? (() => undefined);
    return await send(sent, { addresses, bodyMax, onConnected, readsBody: isWanted, signal });
  }
}

/** Reads a URL that may be asked for. Throws `WrongUrl`. */
export function webUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new WrongUrl('the URL must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new WrongUrl('the URL must not hold a user: send the header authorization');
  }
  return url;
}

function redirected(asked: Asked, location: string, status: number): Asked {
  const { headers, method, publicHeaders = {}, url } = asked;
  const next = webUrl(location, url);
  const isLost = status === 303 || (status < 303 && method === 'POST');
  const isKept = !isLost || method === 'GET' || method === 'HEAD';
  const sent = { ...asked, method: isKept ? method : 'GET', url: next };
  // A server has no say in which origin gets to know what the asker sends.
  if (next.origin !== url.origin) return { ...sent, headers: publicHeaders, body: null };
  if (isKept) return sent;
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('content-'));
  return { ...sent, headers: Object.fromEntries(kept), body: null };
}

/**
 * The value of the header `webhook-signature`, as standardwebhooks.com describes it. `secret`:
 * `whsec_` and base64, or any text.
 */
export function signWebhook(secret: string, content: string): string {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
