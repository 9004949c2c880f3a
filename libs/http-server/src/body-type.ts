import type { FastifyRequest } from 'fastify';
import { Problem } from './problems.js';

/** A token, as RFC 9110 has it. */
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** A parameter with the semicolon before it, or that semicolon alone. */
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?`,
  'y',
);
const JSON_TYPE = /^application\/json(?![^\s;])/i;
const JSONC_TYPE = /^application\/jsonc?(?![^\s;])/i;

/** Throws unless the body is JSON; for a route that gets it as text, JSON with comments will do. */
export function checkType({ headers }: Pick<FastifyRequest, 'headers'>, isText: boolean): void {
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return;
  const name = (isText ? JSONC_TYPE : JSON_TYPE).exec(type)?.[0];
  if (name === undefined || !isUtf8(type.slice(name.length).trimEnd())) throw wrongType(isText);
}

/** Whether the parameters of a media type can be read, and name no other charset than UTF-8. */
function isUtf8(text: string): boolean {
  const rule = new RegExp(PARAMETER);
  while (rule.lastIndex < text.length) {
    const [found, name, plain, quoted] = rule.exec(text) ?? [];
    if (found === undefined) return false;
    const value = plain ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '';
    if (name?.toLowerCase() === 'charset' && !/^utf-?8$/i.test(value)) return false;
  }
  return true;
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
