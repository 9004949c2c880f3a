import type { JsonObject } from '#core';
import { Problem } from '#http-server';
import type { CreateTaskRequest } from '../requests/create-task.request.js';

/** A member of a body that may be large. */
type Large = 'given' | 'output' | 'parameters' | 'payload';

/** Throws `PAYLOAD_TOO_LARGE` where a member of a body has more bytes as JSON than are taken. */
export function expectSize(value: JsonObject, most: number, member: Large = 'parameters'): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= most) return;
  throw tooLarge(`\`${member}\` has ${bytes} bytes; at most ${most} are taken.`, member);
}

/** The same for a request: parameters, and what the steps before an only one have given. */
export function expectRequestSize(
  { given, parameters = {} }: Pick<CreateTaskRequest, 'given' | 'parameters'>,
  bodyBytes: number | undefined,
  most: number,
): void {
  // A small body has no large part, and measuring costs time.
  if (bodyBytes !== undefined && bodyBytes <= most) return;
  expectSize(parameters, most);
  if (given !== undefined) expectSize(given, most, 'given');
}

/** A member of a body that a request or its task cannot have. */
export function tooLarge(message: string, member: Large = 'parameters'): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', message, {
    errors: [{ pointer: `/${member}`, message }],
  });
}
