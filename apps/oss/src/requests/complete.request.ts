import { ValidateBy } from 'class-validator';
import type { JsonObject } from '#core';
import { IsJsonObject, isJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { COMPLETION_TOKEN, ERROR_CODE, fits, pattern, REASON } from './limits.js';
import { RequestReader } from './request-reader.js';

/** Why an attempt that was in other hands came to nothing. */
interface CompletionError {
  /** The code of the error, as `catch` and `retry` of flows name it. */
  readonly code: string;
  readonly message: string;
  /** Whether trying again may help; default: no. */
  readonly retryable?: boolean;
}

const ERROR_RULE =
  '`error` is {code, message, retryable?}: a code in capitals, digits and underscores, ' +
  'a message of 1 to 1000 characters, and true or false.';

/** Body of `:complete`. */
export class CompleteRequest {
  @IsText(COMPLETION_TOKEN, '`token` is what the command was given: 1 to 200 characters.')
  token!: string;

  @MayBeAbsent()
  @IsJsonObject('`output` must be an object.')
  output?: JsonObject;

  @MayBeAbsent()
  @ValidateBy({ name: 'isError', validator: { validate: isError } }, { message: ERROR_RULE })
  error?: CompletionError;
}

const CODE = pattern(ERROR_CODE);
const isMessage = fits(REASON);
const MEMBERS: readonly string[] = ['code', 'message', 'retryable'];

function isError(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { code, message, retryable } = value;
  const isCode = typeof code === 'string' && CODE.test(code);
  const isKnown = Object.keys(value).every((name) => MEMBERS.includes(name));
  const isFlag = retryable === undefined || typeof retryable === 'boolean';
  return isKnown && isFlag && isCode && isMessage(message);
}

/** `CompleteRequest` as a JSON Schema. */
export const COMPLETE_SCHEMA = {
  type: 'object',
  required: ['token'],
  additionalProperties: false,
  properties: {
    token: {
      type: 'string',
      pattern: COMPLETION_TOKEN,
      description: 'The `completionToken` that the command was given.',
    },
    output: { type: 'object', description: 'What the step gives; default: nothing.' },
    error: {
      type: 'object',
      description: 'Instead of an output: the attempt came to nothing.',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', pattern: ERROR_CODE, description: 'Such as `QUOTA`.' },
        message: REASON,
        retryable: { type: 'boolean', description: 'Trying again may help; default: false.' },
      },
    },
  },
};

/** Reads the body of `:complete`. */
export const completeReader = new RequestReader(CompleteRequest, COMPLETE_SCHEMA);
