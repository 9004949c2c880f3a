import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

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
