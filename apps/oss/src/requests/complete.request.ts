import { IsBoolean } from 'class-validator';
import type { EventOf, JsonObject } from '#core';
import { Problem } from '#http-server';
import { Described, IsJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { COMPLETION_TOKEN, ERROR_CODE, REASON, STEP } from './limits.js';
import { WHY } from './operate.request.js';
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

/** How an attempt ended, as it is reported. */
class CompletionResult {
  @Described('Output of the step. Default: none.')
  @MayBeAbsent()
  @IsJsonObject('`output` must be an object.')
  output?: JsonObject;

  @Described('Instead of an output: the attempt failed.')
  @MayBeAbsent()
  @IsReadBy(new RequestReader(CompletionError), ERROR_RULE)
  error?: CompletionError;
}

/** Body of `:complete`. */
export class CompleteRequest extends CompletionResult {
  @Described(
    'The `completionToken` that the command got. Without it, an operator gives a `reason`.',
  )
  @MayBeAbsent()
  @IsText(COMPLETION_TOKEN, '`token` is what the command was given: 1 to 200 characters.')
  token?: string;

  @Described(`Without a token: ${WHY}`)
  @MayBeAbsent()
  @IsText(REASON, WHY)
  reason?: string;
}

/** A completion without a token, of the step that it names. */
class OrderCompletion extends CompletionResult {
  @Described('Its name, or the id of its run.')
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;

  @Described(WHY)
  @IsText(REASON, WHY)
  reason!: string;
}

/** Reads the body of `:complete`. */
export const completeReader = new RequestReader(CompleteRequest);

/** Reads a completion without a token, as operations have it. */
export const orderCompletionReader = new RequestReader(OrderCompletion);

/** The result that a report tells. Throws the `Problem` that it tells two. */
export function resultOf({ error, output }: CompletionResult): EventOf<'completed'>['result'] {
  if (error === undefined) return { output: output ?? null };
  if (output !== undefined) {
    const message = 'Send either `output` or `error`, not both.';
    throw new Problem('INVALID_PARAMETERS', message, { errors: [{ pointer: '/error', message }] });
  }
  const { code, message, retryable = false } = error;
  return { failure: { terminal: !retryable, failure: 'FAILED', error: code, message } };
}
