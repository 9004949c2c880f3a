import type { JsonObject } from '#core';
import { Problem } from '#nest';

/** Throws `PAYLOAD_TOO_LARGE` where parameters have more bytes as JSON than are taken. */
export function expectSize(parameters: JsonObject, most: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  if (bytes > most) {
    throw tooLarge(`The parameters have ${bytes} bytes; at most ${most} are taken.`);
  }
}

/** Parameters that a request or its task cannot have. */
export function tooLarge(message: string): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', message, {
    errors: [{ pointer: '/parameters', message }],
  });
}
