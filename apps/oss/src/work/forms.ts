import { formatDuration, readDuration } from '#wording';
import { invalidRequest } from '#http-server';
import { Fits, IsText } from '../requests/decorators.js';
import { lineForm, pattern } from '../requests/limits.js';

/** Name of a worker: new with each start of it. */
export const WORKER = '^[A-Za-z0-9._:/-]{1,128}$';
/** A state that a command names for its attempt. */
export const PROGRESS_STATE = '^[A-Za-z0-9._-]{1,64}$';
/** Name of a module or command, as flow files take it. */
const NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$';
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
/** With its unit: elsewhere a number without one means seconds. */
const TIME = '^0$|^[0-9]{1,15}(\\.[0-9]{1,15})?(ms|s|m|h|d)$';

const [isName, isTimeText] = [pattern(NAME), pattern(TIME)];

/** Whether something is the name of a module or command. */
export function isNameForm(value: unknown): boolean {
  return typeof value === 'string' && isName.test(value);
}

/** The schema of an object whose members are named like modules and commands. */
export function namedSchema(least: number, most: number, each: object): object {
  const bounds = { minProperties: least, maxProperties: most };
  return {
    type: 'object',
    ...bounds,
    propertyNames: { pattern: NAME },
    additionalProperties: each,
  };
}

/** A list of so many names of modules or commands. */
export function IsNames(least: number, most: number, message: string): PropertyDecorator {
  const items = { type: 'string', pattern: NAME };
  const schema = { type: 'array', minItems: least, maxItems: most, items };
  const validate = (value: unknown): boolean => isNames(value, least, most);
  return Fits({ name: 'isNames', schema, validate, message });
}

/** Whether something is a list of so many names. */
function isNames(value: unknown, least: number, most: number): boolean {
  const isList = Array.isArray(value) && value.length >= least && value.length <= most;
  return isList && value.every(isNameForm);
}

export function IsName(message: string): PropertyDecorator {
  return IsText(NAME, message);
}

export function IsWorker(): PropertyDecorator {
  return IsText(WORKER, '`worker` is a name of 1 to 128 of A-Z, a-z, 0-9 and ._:/-');
}

export function IsUuid(message: string): PropertyDecorator {
  return IsText(UUID, message);
}

/** A line of up to 200 characters that names something to people. */
export function IsLine(member: string): PropertyDecorator {
  return IsText(lineForm(1, 200), `\`${member}\` is a line of 1 to 200 characters.`);
}

/** A duration: text with its unit, or whole milliseconds. `readTime` reads it within its bounds. */
export type Time = number | string;

/** Bounds of a time, in milliseconds. */
interface TimeBounds {
  /** Default: 0. */
  readonly min?: number;
  readonly max: number;
}

/** A member that is a `Time`. Its schema has the bounds of numbers, but not those of texts. */
export function IsTime(member: string, { max, min = 0 }: TimeBounds): PropertyDecorator {
  const bounds = { minimum: min, maximum: max };
  const schema = { type: ['string', 'integer'], pattern: TIME, ...bounds };
  const validate = (value: unknown): boolean => {
    if (typeof value === 'string') return isTimeText.test(value);
    return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  };
  const message =
    `${within(member, { min, max })}, with its unit, such as 500ms, 20s or 5m, or a whole number ` +
    'of milliseconds.';
  return Fits({ name: 'isTime', schema, validate, message });
}

/** A time in milliseconds. Throws the `Problem` that it is out of bounds. */
export function readTime(member: string, time: Time, { max, min = 0 }: TimeBounds): number {
  // One of longer than a year is none.
  const ms = typeof time === 'number' ? time : (readDuration(time) ?? Infinity);
  if (ms >= min && ms <= max) return ms;
  throw invalidRequest({ pointer: `/${member}`, message: `${within(member, { min, max })}.` });
}

function within(member: string, { max, min = 0 }: TimeBounds): string {
  return `\`${member}\` is a time of ${formatDuration(min)} to ${formatDuration(max)}`;
}
