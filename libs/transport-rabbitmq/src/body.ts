import type { JsonObject, PublicRetry, StepMessage } from '#core';
import { isObject } from '#core/json';
import { isRunId } from '#core/scopes';
import { readJson, WrongJson } from '#json';

/** The largest body that is read. */
export const MAX_BODY_BYTES = 1_048_576;

/** A body that is no step message. Its message says why, in words for operators. */
export class UnreadableBody extends Error {
  override readonly name = 'UnreadableBody';
}

/**
 * A step message as bytes. Parameters that would make the body too large to be read stay at home:
 * a message is a hint, and the task's document has them.
 */
export function encodeBody(message: StepMessage): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return body.length <= MAX_BODY_BYTES ? body : leanBody(message);
}

/** A step message as bytes, without its parameters. */
export function leanBody(message: StepMessage): Buffer {
  return Buffer.from(JSON.stringify({ ...message, parameters: {} }));
}

/** Reads and checks a body; throws `UnreadableBody`. Members that are not known are left out. */
export function decodeBody(body: Buffer): StepMessage {
  const members = parseObject(body);
  if (members['v'] !== 1) throw new UnreadableBody('unknown format version');
  return {
    v: 1,
    taskId: text(members, 'taskId'),
    cursor: integer(members, 'cursor', 0),
    type: direction(members),
    parameters: parameters(members),
    module: text(members, 'module'),
    command: text(members, 'command'),
    timeout: seconds(members, 'timeout'),
    retry: retry(members['retry']),
    step: text(members, 'step'),
    run: runId(members),
    attempt: integer(members, 'attempt', 1),
  };
}

type Members = Readonly<Record<string, unknown>>;

function parseObject(body: Buffer): Members {
  let value: unknown;
  try {
    value = readJson(body, { bytes: MAX_BODY_BYTES, isOwn: true });
  } catch (error) {
    throw error instanceof WrongJson ? new UnreadableBody(wordsOf(error)) : error;
  }
  if (!isObject(value)) throw new UnreadableBody('not a JSON object');
  return value;
}

/** Names of members are contents of the body, which are not told. */
function wordsOf({ code }: WrongJson): string {
  if (code === 'TOO_LARGE') return `larger than ${MAX_BODY_BYTES} bytes`;
  if (code === 'NOT_UTF8') return 'not UTF-8';
  if (code === 'TOO_DEEP') return 'nested too deeply';
  if (code === 'REPEATED_MEMBER') return 'a member is there twice';
  return code === 'NUMBER_NOT_KEPT' ? 'a number is too large to be kept' : 'not JSON';
}

function text(members: Members, name: string): string {
  const value = members[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new UnreadableBody(`${name} is not a text`);
}

/** Absent: the sender means the step's first run, whose id is the step's name. */
function runId(members: Members): string {
  const value = members['run'] === undefined ? members['step'] : members['run'];
  if (typeof value === 'string' && isRunId(value)) return value;
  throw new UnreadableBody('run is not the id of a run');
}

function integer(members: Members, name: string, least: number): number {
  const value = members[name];
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new UnreadableBody(`${name} is not a whole number of at least ${least}`);
}

function seconds(members: Members, name: string): number {
  const value = members[name];
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new UnreadableBody(`${name} is not a number of seconds`);
}

function direction(members: Members): 0 | 1 {
  const value = members['type'];
  if (value === 0 || value === 1) return value;
  throw new UnreadableBody('type is not 0 or 1');
}

function parameters(members: Members): JsonObject {
  const value = members['parameters'];
  if (isObject(value)) return value as JsonObject;
  throw new UnreadableBody('parameters is not an object');
}

function retry(value: unknown): PublicRetry {
  if (typeof value === 'number') return integer({ retry: value }, 'retry', 0);
  if (!isObject(value)) throw new UnreadableBody('retry is neither a number nor an object');
  const { backoff, jitter } = value;
  if (backoff !== 'none' && backoff !== 'fixed' && backoff !== 'exponential') {
    throw new UnreadableBody('retry.backoff is not none, fixed or exponential');
  }
  if (typeof jitter !== 'boolean') throw new UnreadableBody('retry.jitter is not true or false');
  return {
    attempts: integer(value, 'attempts', 1),
    backoff,
    delay: seconds(value, 'delay'),
    maxDelay: value['maxDelay'] === null ? null : seconds(value, 'maxDelay'),
    jitter,
    ...codes(value, 'only'),
    ...codes(value, 'never'),
  };
}

/** A list of codes of errors, where there is one. */
function codes(value: Members, member: 'only' | 'never'): { readonly [name: string]: string[] } {
  const list = value[member];
  if (list === undefined) return {};
  if (Array.isArray(list) && list.every((code) => typeof code === 'string')) {
    return { [member]: list };
  }
  throw new UnreadableBody(`retry.${member} is not a list of text`);
}
