import { IsBoolean } from 'class-validator';
import type { JsonObject } from '#core';
import { Described, IsJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { COMPLETION_TOKEN, ERROR_CODE, REASON } from './limits.js';
import { IsReadBy, RequestReader } from './request-reader.js';

const ERROR_RULE =
  '`error` is {code, message, retryable?}: a code in capitals, digits and underscores, ' +
  'a message of 1 to 1000 characters, and true or false.';

/** Why an attempt that was in other hands came to nothing. */
class CompletionError {
  /** The code of the error, as `catch` and `retry` of flows name it. */
  @Described('Such as `QUOTA`.')
  @IsText(ERROR_CODE, ERROR_RULE)
  code!: string;

  @IsText(REASON, ERROR_RULE)
  message!: string;

  @Described('Another attempt may help. Default: false.')
  @MayBeAbsent()
  @IsBoolean({ message: ERROR_RULE })
  retryable?: boolean;
}

/** Body of `:complete`. */
export class CompleteRequest {
  @Described('The `completionToken` that the command got.')
  @IsText(COMPLETION_TOKEN, '`token` is what the command was given: 1 to 200 characters.')
  token!: string;

  @Described('Output of the step. Default: none.')
  @MayBeAbsent()
  @IsJsonObject('`output` must be an object.')
  output?: JsonObject;

  @Described('Instead of an output: the attempt failed.')
  @MayBeAbsent()
  @IsReadBy(new RequestReader(CompletionError), ERROR_RULE)
  error?: CompletionError;
}

/** Reads the body of `:complete`. */
export const completeReader = new RequestReader(CompleteRequest);
