import type { FastifyRequest } from 'fastify';
import {
  decodeText,
  type JsonLimits,
  pointerPart,
  readJson,
  readJsonInTurns,
  WrongJson,
} from '#json';
import { SEAL_MARK, sealedIn } from '#core/secrets';
import { invalidRequest, Problem } from './problems.js';

/** A body with one of these may hold a sealed value: the mark of one, or another spelling of it. */
const SEAL_SIGNS = [SEAL_MARK, '\\u'].map((sign) => Buffer.from(sign));

/** Members whose values are data of tasks, and not parts of the request itself. */
const TASK_VALUES = /\/(given|output|parameters|payload)(\/|$)/;

/** A token, as RFC 9110 has it. */
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

/** A parameter with the semicolon before it, or that semicolon alone. */
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?`,
  'y',
);

const JSON_TYPE = /^application\/json(?![^\s;])/i;
const JSONC_TYPE = /^application\/jsonc?(?![^\s;])/i;

/** Those that wait for a turn of the event loop, first come first. */
const waiting: (() => void)[] = [];

/** The text of a body, or the problem that it is not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw problemOf(error);
  }
}

/** Values that every body may have, however few bytes it may have. */
const VALUES_MIN = 250_000;

/** Bytes of the longest body that is taken for each value, where that is more. */
const BYTES_A_VALUE = 16;

/** The terms of the bodies of one route. */
export interface BodyTerms {
  /** Bytes of the longest. */
  readonly longest: number;
  /** Whether sealed secrets may stand in them. */
  readonly maySeal: boolean;
}

/** The value of a JSON body. Throws a `Problem` for everything that is wrong with it. */
export function parseBody(bytes: Buffer, terms: BodyTerms): unknown {
  try {
    const value = readJson(bytes, limitsOf(bytes, terms));
    if (!terms.maySeal) expectNoSealed(bytes, value);
    return value;
  } catch (error) {
    throw problemOf(error);
  }
}

/** The same of a large body, in several turns of the event loop. Rejects where that one throws. */
export async function parseLargeBody(bytes: Buffer, terms: BodyTerms): Promise<unknown> {
  try {
    const value = await readJsonInTurns(bytes, limitsOf(bytes, terms), nextTurn);
    await nextTurn();
    if (!terms.maySeal) expectNoSealed(bytes, value);
    return value;
  } catch (error) {
    throw problemOf(error);
  }
}

/** Its bytes were counted while they came. */
function limitsOf({ length }: Buffer, { longest }: Pick<BodyTerms, 'longest'>): JsonLimits {
  return { bytes: length, values: Math.max(VALUES_MIN, Math.floor(longest / BYTES_A_VALUE)) };
}

function problemOf(error: unknown): unknown {
  if (!(error instanceof WrongJson)) return error;
  const { code, hint, isNotJson, message, pointer, sentence } = error;
  if (code === 'EMPTY') return emptyBody(error);
  if (code === 'NOT_UTF8') return malformed('The body is not UTF-8 text.', error);
  if (isNotJson) return malformed(message, error);
  if (code === 'TOO_MANY_VALUES') return tooFull(sentence, error);
  return invalidRequest({ pointer, message: sentence, ...(hint !== null && { hint }) });
}

function tooFull(sentence: string, cause: WrongJson): Problem {
  const detail = `${sentence} Send them in several requests.`;
  return new Problem('PAYLOAD_TOO_LARGE', detail, { cause });
}

/** The problem of a body without any text where JSON is needed. */
export function emptyBody(cause?: WrongJson): Problem {
  return malformed('The body is empty; send a JSON object.', cause);
}

function malformed(detail: string, cause: WrongJson | undefined): Problem {
  return new Problem('MALFORMED_JSON', detail, { cause });
}

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

/**
 * Throws the `Problem` that a body holds a sealed value. No request but that of an archive may
 * bring one, wherever it stands: a task would open it for its commands as if it had sealed it
 * itself.
 */
function expectNoSealed(bytes: Buffer, value: unknown): void {
  if (!SEAL_SIGNS.some((sign) => bytes.includes(sign))) return;
  const pointer = sealedAt(value, '');
  if (pointer === null) return;
  const message = 'This is a sealed secret, and no request may bring one.';
  const fault = { pointer, message, hint: 'Send the secret itself.' };
  if (!TASK_VALUES.test(pointer)) throw invalidRequest(fault);
  throw new Problem('INVALID_PARAMETERS', message, { errors: [fault] });
}

/** Where the first sealed value stands in a value, or in the name of a member; null: nowhere. */
function sealedAt(value: unknown, pointer: string): string | null {
  if (typeof value === 'string') return sealedIn(value).length > 0 ? pointer : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (sealedIn(name).length > 0) return pointer;
    const found = sealedAt(inner, pointer + pointerPart(name));
    if (found !== null) return found;
  }
  return null;
}

/**
 * Resolves in a turn of the event loop that is nobody else's: of all the long pieces of work in a
 * process one is done in each turn, and whatever came meanwhile is served between two of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(give);
  });
}

function give(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(give);
}
