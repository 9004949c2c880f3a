import type { FastifyRequest } from 'fastify';
import { Problem } from './problems.js';

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?$/i;
const JSONC_TYPE = /^application\/jsonc?\s*(;\s*charset="?utf-?8"?\s*)?;?$/i;

/** Throws unless the body is JSON; for a route that gets it as text, JSON with comments will do. */
export function checkType({ headers }: Pick<FastifyRequest, 'headers'>, isText: boolean): void {
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return;
  if ((isText ? JSONC_TYPE : JSON_TYPE).test(type.trim())) return;
  throw wrongType(isText);
}

/** The error for a body of a type that is not taken; `isText`: JSON with comments is. */
export function wrongType(isText: boolean): Problem {
  const taken = isText ? 'application/json and application/jsonc' : 'application/json';
  const verb = isText ? 'are' : 'is';
  return new Problem('UNSUPPORTED_MEDIA_TYPE', `Only ${taken} in UTF-8 ${verb} taken.`);
}

/** Whether Fastify found no reader for the type of a body. */
export function isWrongType(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
}
