import { IsInt, Min } from 'class-validator';
import type { AttemptWords } from '#engine';
import { Described, Fits, isJsonObject, MayBeAbsent } from '../requests/decorators.js';
import { pattern } from '../requests/limits.js';
import { PROGRESS_STATE } from './forms.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MESSAGE_MAX = 500;
const LOG =
  '`log` is a text, or a list of texts or of objects with a `message`, maybe a `level` (debug, info, ' +
  'warn or error) and `agoMs`, whole milliseconds.';
const PROGRESS =
  '`progress` may have a `percent` from 0 to 100, a `message` of up to 500 characters, and a ' +
  '`state` of 1 to 64 of A-Z, a-z, 0-9 and ._-';
const DROPPED = '`logDropped` is a whole number from 0 on.';
const isState = pattern(PROGRESS_STATE);
/** A day: a line that is older counts as one of a day. */
const AGO_MAX_MS = 86_400_000;

/** A line as a worker sends it. */
type SentLine = {
  readonly message: string;
  readonly level?: (typeof LEVELS)[number];
  readonly agoMs?: number;
};

/** The progress of an attempt as a worker sends it. */
type SentProgress = {
  readonly state?: string;
  readonly percent?: number;
  readonly message?: string;
};

/** The members for what an attempt says besides its outcome. */
export class SaidRequest {
  @Described('Lines that the attempt wrote, the oldest first. The oldest beyond 64 KiB go.')
  @MayBeAbsent()
  @IsLog()
  log?: string | readonly (SentLine | string)[];

  @Described('Lines that the worker left out itself since it sent some last.')
  @MayBeAbsent()
  @Min(0, { message: DROPPED })
  @IsInt({ message: DROPPED })
  logDropped?: number;

  @Described('How far the attempt is, in the place of what it said before.')
  @MayBeAbsent()
  @IsProgress()
  progress?: SentProgress;
}

function IsLog(): PropertyDecorator {
  const text = { type: 'string' };
  const properties = {
    message: text,
    level: { ...text, enum: LEVELS },
    agoMs: { type: 'integer', minimum: 0, description: 'How long before the request it was.' },
  };
  const line = { type: 'object', required: ['message'], additionalProperties: false, properties };
  const schema = { oneOf: [text, { type: 'array', items: { oneOf: [text, line] } }] };
  const validate = (value: unknown): boolean => {
    return typeof value === 'string' || (Array.isArray(value) && value.every(isLine));
  };
  return Fits({ name: 'isLog', schema, validate, message: LOG });
}

function isLine(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!isJsonObject(value)) return false;
  const { agoMs = 0, level = 'info', message, ...unknown } = value;
  const isKnown = LEVELS.some((each) => each === level) && typeof message === 'string';
  return isKnown && Number.isInteger(agoMs) && (agoMs as number) >= 0 && isEmpty(unknown);
}

function IsProgress(): PropertyDecorator {
  const properties = {
    percent: { type: 'number', minimum: 0, maximum: 100 },
    message: { type: 'string', maxLength: MESSAGE_MAX },
    state: {
      type: 'string',
      pattern: PROGRESS_STATE,
      description: 'A state that the command names, such as `copying`.',
    },
  };
  const schema = { type: 'object', additionalProperties: false, properties };
  const validate = (value: unknown): boolean => isJsonObject(value) && isProgress(value);
  return Fits({ name: 'isProgress', schema, validate, message: PROGRESS });
}

function isProgress(sent: Record<string, unknown>): boolean {
  const { message = '', percent = 0, state, ...unknown } = sent;
  if (typeof percent !== 'number' || typeof message !== 'string') return false;
  if (state !== undefined && !(typeof state === 'string' && isState.test(state))) return false;
  // JSON Schema counts code points.
  const isShort = message.length <= 2 * MESSAGE_MAX && Array.from(message).length <= MESSAGE_MAX;
  return isShort && percent >= 0 && percent <= 100 && isEmpty(unknown);
}

function isEmpty(members: object): boolean {
  return Object.keys(members).length === 0;
}

/** The words in a request; undefined: it has none. */
export function wordsOf({
  log = [],
  logDropped = 0,
  progress,
}: SaidRequest): AttemptWords | undefined {
  if (log.length === 0 && logDropped === 0 && progress === undefined) return undefined;
  const lines = (typeof log === 'string' ? [log] : log).map((line) => {
    if (typeof line === 'string') return { message: line, agoMs: 0 };
    const { agoMs = 0, level, message } = line;
    return { message, agoMs: Math.min(agoMs, AGO_MAX_MS), ...(level !== undefined && { level }) };
  });
  return { lines, dropped: logDropped, ...(progress !== undefined && { progress }) };
}
