import { DURATION_PATTERN } from '#wording';
import { ATTEMPTS_MAX, CODES_MAX, RESTARTS_MAX } from './limits.js';

/** The form of every name, without the marks of begin and end. */
export const NAME_PATTERN = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';

/** The form of the code of an error, without the marks of begin and end. */
const CODE_PATTERN = '[A-Z][A-Z0-9_]{0,63}';

/** The form of an expression, without the marks of begin and end. */
export const EXPRESSION_PATTERN = '\\s*\\{%[\\s\\S]*%\\}\\s*';

/** A date and a time of day with its zone. */
const MOMENT_PATTERN =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})';

/** Names that the parts of a step have themselves, so that no case and no branch may have them. */
const RESERVED_NAMES = ['catch', 'otherwise'] as const;

export const duration = {
  title: 'a duration',
  description: 'A number of seconds, or text such as "500ms", "30s", "5m", "2h" or "1d".',
  type: ['number', 'string'],
  pattern: DURATION_PATTERN,
  examples: ['30s'],
};

export const durationOrExpression = {
  title: 'a duration or an expression',
  description:
    'A number of seconds, text such as "500ms", "30s", "5m", "2h" or "1d", or an expression `{% ... %}`.',
  type: ['number', 'string'],
  pattern: `${DURATION_PATTERN}|^${EXPRESSION_PATTERN}$`,
  examples: ['30s', '{% delay %}'],
};

export const moment = {
  title: 'a moment or an expression',
  description:
    'A date and time with its zone (ISO 8601), seconds since 1970, or an expression `{% ... %}`.',
  type: ['number', 'string'],
  pattern: `^(${MOMENT_PATTERN}|${EXPRESSION_PATTERN})$`,
  minimum: 0,
  maximum: 253_402_300_799,
  examples: ['2027-01-01T06:00:00Z', '{% startAt %}'],
};

/** A condition: its result is true or false. */
export const condition = {
  title: 'an expression, or true or false',
  description: 'An expression in `{% ... %}` that comes to true or false.',
  type: ['string', 'boolean'],
  pattern: `^${EXPRESSION_PATTERN}$`,
  examples: ['{% size > 3 %}'],
};

/** A value that is a list, or an expression that evaluates to one. */
export const listOfValues = {
  title: 'an expression, or a list',
  description: 'An expression in `{% ... %}` that comes to a list, or the list itself.',
  type: ['string', 'array'],
  pattern: `^${EXPRESSION_PATTERN}$`,
  examples: ['{% regions %}'],
};

export const name = {
  title: 'a name',
  description: 'Letters, digits, `-`, `_` and `.`; at most 100, the first a letter or digit.',
  type: 'string',
  pattern: `^${NAME_PATTERN}$`,
  examples: ['init-instance'],
};

/** Name of a case or of a branch. */
export const partName = {
  title: 'a name',
  description:
    'Letters, digits, `-`, `_` and `.`; at most 100, the first a letter or digit; neither' +
    ' `catch` nor `otherwise`.',
  type: 'string',
  pattern: `^${NAME_PATTERN}$`,
  not: { enum: RESERVED_NAMES },
  examples: ['large'],
};

export const errorCode = {
  title: 'a code of errors',
  description: 'Capital letters, digits and `_`; at most 64, the first a letter.',
  type: 'string',
  pattern: `^${CODE_PATTERN}$`,
  examples: ['QUOTA'],
};

const errorCodes = {
  title: 'a list of codes of errors',
  type: 'array',
  minItems: 1,
  maxItems: CODES_MAX,
  uniqueItems: true,
  items: { $ref: '#/$defs/errorCode' },
  examples: [['QUOTA']],
};

/** The `errors` of a `catch`: codes of errors, or any. */
export const caughtErrors = {
  ...errorCodes,
  title: 'a list of codes of errors, or ["*"]',
  description: 'Codes of the failures that this catches; "*": any.',
  items: { ...errorCode, title: 'a code of errors, or "*"', pattern: `^(${CODE_PATTERN}|[*])$` },
  examples: [['QUOTA', 'TIMED_OUT'], ['*']],
};

const waits = {
  backoff: {
    title: 'a kind of back-off',
    description: 'How waits grow: all alike, or doubled each time. Default: exponential.',
    enum: ['fixed', 'exponential'],
    default: 'exponential',
  },
  delay: { $ref: '#/$defs/duration', description: 'Wait before the first retry. Default: 1s.' },
  maxDelay: {
    title: 'a duration, or null for no limit',
    description: 'No wait gets longer. Default: 1m when exponential, else none.',
    type: ['number', 'string', 'null'],
    pattern: DURATION_PATTERN,
    examples: ['1m'],
  },
  jitter: {
    title: 'true or false',
    description: 'Spread waits, so that many tasks do not come back at once. Default: false.',
    type: 'boolean',
    default: false,
    examples: [true],
  },
};

const attempts = {
  title: 'a whole number',
  description: 'Starts of the action in all, the first one included.',
  type: 'integer',
  minimum: 1,
  maximum: ATTEMPTS_MAX,
  examples: [3],
};

export const retry = {
  title: 'a whole number of retries, or an object with `attempts`',
  description:
    'A number n: n retries after the first attempt, at once. An object: attempts in all, and waits.',
  type: ['integer', 'object'],
  minimum: 0,
  maximum: ATTEMPTS_MAX - 1,
  examples: [3, { attempts: 3, delay: '1s' }],
  required: ['attempts'],
  additionalProperties: false,
  properties: {
    attempts,
    ...waits,
    only: { ...errorCodes, description: 'Only errors with these codes are retried.' },
    never: { ...errorCodes, description: 'Errors with these codes are never retried.' },
  },
};

export const groupRetry = {
  title: 'a whole number of retries, or an object with `attempts` or with `forEach`',
  description:
    'A number n: n more tries, at once. An object: tries in all, and waits; or `forEach`: one try' +
    ' for each value until one succeeds.',
  type: ['integer', 'object'],
  minimum: 0,
  maximum: ATTEMPTS_MAX - 1,
  examples: [
    { attempts: 3, delay: '1s' },
    { forEach: '{% regions %}', as: 'region' },
  ],
  if: { type: 'integer' },
  // Of a number nothing is required.
  else: { oneOf: [{ required: ['attempts'] }, { required: ['forEach'] }] },
  dependentRequired: {
    forEach: ['as'],
    as: ['forEach'],
    backoff: ['attempts'],
    delay: ['attempts'],
    maxDelay: ['attempts'],
    jitter: ['attempts'],
  },
  additionalProperties: false,
  properties: {
    attempts: { ...attempts, description: 'Tries in all, the first one included.' },
    ...waits,
    forEach: { ...listOfValues, description: 'The values: one try each, until one succeeds.' },
    as: { $ref: '#/$defs/name', description: 'Under which name the steps see the value.' },
  },
};

export const onCrash = {
  title: '"fail", or an object with `restarts`',
  description:
    'After a crash of its process: restarts besides its retries (default: 3, for a' +
    ' rollback 10), or "fail": the action has failed.',
  type: ['string', 'object'],
  pattern: '^fail$',
  examples: [{ restarts: 3 }, 'fail'],
  required: ['restarts'],
  additionalProperties: false,
  properties: {
    restarts: {
      title: 'a whole number',
      description: 'Restarts after crashes, which use up no retry.',
      type: 'integer',
      minimum: 0,
      maximum: RESTARTS_MAX,
      examples: [3],
    },
  },
};
