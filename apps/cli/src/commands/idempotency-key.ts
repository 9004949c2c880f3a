import { CliError, EXIT } from '../exit.js';
import { type Call, textOption } from '../tree/call.js';

/**
 * The key that was given, or one of this invocation's own: requests are sent again when a
 * connection breaks, and must not act twice.
 */
export async function idempotencyKey(call: Call): Promise<string> {
  const given = textOption(call, 'idempotencyKey');
  if (given !== undefined) {
    if (/^[^\p{Cc}]{1,255}$/u.test(given)) return given;
    throw new CliError(EXIT.usage, '--idempotency-key is text of 1 to 255 characters');
  }
  const { SystemEntropy } = await import('#machine');
  return `cli-${new SystemEntropy().newId()}`;
}
