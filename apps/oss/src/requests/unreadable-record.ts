import type { FastifyRequest } from 'fastify';
import { isLimited, type Principal } from '#access';
import { Problem } from '#http-server';
import { RecordUnreadable } from '#ports';
import { expectedRevisions } from './headers.js';

/**
 * The record that a request is to replace or remove, or the very one in its place that cannot be
 * read. Nobody knows whose that is, so it is left to callers who see everything: for others it
 * throws the `hidden` problem.
 */
export async function orUnreadable<T>(
  found: Promise<T>,
  principal: Principal,
  hidden?: () => Problem,
): Promise<T | RecordUnreadable> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof RecordUnreadable)) throw error;
    if (isLimited(principal)) throw hidden?.() ?? error;
    return error;
  }
}

/** It is there, whatever it is, and no caller can know at which generation. */
export function expectAnyGeneration(
  { id, kind, reason }: RecordUnreadable,
  { headers }: FastifyRequest,
): void {
  const which = `the ${kind} ${id}`;
  if (headers['if-none-match'] !== undefined) {
    const message = `There is ${which} already, which cannot be read: ${reason}.`;
    throw new Problem('REVISION_CHANGED', message);
  }
  if (expectedRevisions(headers) === undefined) return;
  const message = `The generation of ${which} cannot be read: ${reason}.`;
  throw new Problem('REVISION_CHANGED', message);
}
