import { withinLimit } from '#machine';
import { signWebhook } from '#outbound';
import type { Clock } from '#ports';

/** Where messages for people go. */
export interface WebhookTarget {
  /** A user and a password in it become a header: `fetch` takes no URL with them. */
  readonly url: string;
  /** `whsec_` and base64, or any text. Without it messages are not signed. */
  readonly secret?: string | undefined;
  /** How long the receiver may take for its answer; 10 s where absent. */
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

/** Sends signed messages, as standardwebhooks.com describes them. */
export class Webhook {
  readonly #address: Address;

  constructor(
    private readonly target: WebhookTarget,
    private readonly clock: Clock,
  ) {
    this.#address = addressOf(target.url);
  }

  /** Resolves when the receiver has answered that it has the message. Throws `NotDelivered`. */
  async send({ id, body }: WebhookMessage, signal: AbortSignal): Promise<void> {
    const { timeoutMs: ms = TIMEOUT_MS } = this.target;
    const text = JSON.stringify(body);
    const request: RequestInit = {
      method: 'POST',
      body: text,
      headers: this.#headers(id, text),
      // A redirect would take the message, and the trust in its receiver, elsewhere.
      redirect: 'manual',
    };
    const post = (ending: AbortSignal): Promise<number> =>
      statusOf(this.#address.url, { ...request, signal: ending });
    const status = await withinLimit(post, { clock: this.clock, ms, signal }).catch(refuse);
    if (status < 200 || status > 299) {
      throw new NotDelivered(`the alert webhook answered with status ${status}`);
    }
  }

  #headers(id: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(this.clock.now() / 1_000));
    const safeId = encodeURIComponent(id);
    const { secret } = this.target;
    const signature =
      secret === undefined ? null : signWebhook(secret, `${safeId}.${timestamp}.${body}`);
    return {
      'content-type': 'application/json',
      'user-agent': 'backstep',
      'webhook-id': safeId,
      'webhook-timestamp': timestamp,
      ...this.#address.authorization,
      ...(signature !== null && { 'webhook-signature': signature }),
    };
  }
}

/** A URL without its user, and the header that says the same. */
interface Address {
  readonly url: string;
  readonly authorization: { readonly authorization?: string };
}

function addressOf(text: string): Address {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, authorization: {} };
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  return { url: url.href, authorization: { authorization } };
}

/** A password may hold a percent sign that begins nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The answer's status counts. Its body is not waited for: it may never end. */
async function statusOf(url: string, request: RequestInit): Promise<number> {
  const { body, status } = await fetch(url, request);
  void body?.cancel().catch(() => {});
  return status;
}

/** The texts of errors may quote the address, which may hold a secret: only codes are told. */
function refuse(error: unknown): never {
  throw new NotDelivered(`the alert webhook cannot be reached: ${codeOf(error)}`);
}

function codeOf(error: unknown): string {
  const { cause, code, name } = error as NodeJS.ErrnoException;
  const inner = (cause as NodeJS.ErrnoException | undefined)?.code;
  return [inner, code, name].find((said) => typeof said === 'string' && said !== '') ?? 'FAILED';
}
