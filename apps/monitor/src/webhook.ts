import { createHmac } from 'node:crypto';
import type { Clock } from '#ports';

/** Where messages for people go. */
export interface WebhookTarget {
  readonly url: string;
  /** `whsec_` and base64, or any text. Without it messages are not signed. */
  readonly secret?: string | undefined;
  /** How long the receiver may take. */
  readonly timeoutMs?: number;
}

/** A message as it is sent. `id` stays the same when it is sent again. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: object;
}

/** The receiver did not take a message; it may be sent again. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered';
}

const TIMEOUT_MS = 10_000;
const SECRET_PREFIX = 'whsec_';

/** Sends signed messages, as standardwebhooks.com describes them. */
export class Webhook {
  constructor(
    private readonly target: WebhookTarget,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the receiver has answered that it has the message. Throws `NotDelivered`. */
  async send({ id, body }: WebhookMessage, signal: AbortSignal): Promise<void> {
    const { timeoutMs = TIMEOUT_MS, url } = this.target;
    const text = JSON.stringify(body);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const request: RequestInit = {
      method: 'POST',
      body: text,
      headers: this.#headers(id, text),
      // A redirect would take the message, and the trust in its receiver, elsewhere.
      redirect: 'manual',
      signal: limit,
    };
    const status = await post(url, request);
    if (status < 200 || status > 299) {
      throw new NotDelivered(`the alert webhook answered with status ${status}`);
    }
  }

  #headers(id: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    const safeId = encodeURIComponent(id);
    const { secret } = this.target;
    const signature = secret === undefined ? null : sign(secret, `${safeId}.${timestamp}.${body}`);
    return {
      'content-type': 'application/json',
      'user-agent': 'backstep',
      'webhook-id': safeId,
      'webhook-timestamp': timestamp,
      ...(signature !== null && { 'webhook-signature': signature }),
    };
  }
}

async function post(url: string, request: RequestInit): Promise<number> {
  try {
    const response = await fetch(url, request);
    await response.body?.cancel();
    return response.status;
  } catch (cause) {
    const why = (cause as { cause?: { message?: string } }).cause?.message;
    const said = why || (cause as Error).message;
    // The address may hold a secret: it is not told.
    throw new NotDelivered(`the alert webhook cannot be reached: ${said}`, { cause });
  }
}

/** The value of the header `webhook-signature`. */
export function sign(secret: string, content: string): string {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
