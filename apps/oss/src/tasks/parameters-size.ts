import type { JsonObject } from '#core';
import { Problem } from '#nest';
import type { CreateTaskRequest } from '../requests/create-task.request.js';
import { PAYLOAD_MAX } from '../requests/limits.js';

/** Throws `PAYLOAD_TOO_LARGE` where parameters have more bytes as JSON than are taken. */
export function expectSize(parameters: JsonObject, most: number): void {
  const bytes = sizeOf(parameters);
  if (bytes <= most) return;
  throw tooLarge(`The parameters have ${bytes} bytes; at most ${most} are taken.`);
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
  const bytes = given === undefined ? 0 : sizeOf(given);
  if (bytes <= most) return;
  throw tooLarge(`What is given has ${bytes} bytes; at most ${most} are taken.`, '/given');
}

/** The same for an output that a person gives. */
export function expectOutputSize(output: JsonObject, most: number): void {
  const bytes = sizeOf(output);
  if (bytes <= most) return;
  throw tooLarge(`The output has ${bytes} bytes; at most ${most} are taken.`, '/output');
}

/** The same for what a signal carries. */
export function expectPayloadSize(payload: JsonObject): void {
  const bytes = sizeOf(payload);
  if (bytes <= PAYLOAD_MAX) return;
  throw tooLarge(`The payload has ${bytes} bytes; at most ${PAYLOAD_MAX} are taken.`, '/payload');
}

function sizeOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Parameters, or something else of a body, that a request or its task cannot have. */
export function tooLarge(message: string, pointer = '/parameters'): Problem {
  return new Problem('PAYLOAD_TOO_LARGE', message, { errors: [{ pointer, message }] });
}
