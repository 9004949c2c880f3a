import type { JsonObject } from '#core';
import { Described, IsChildren, IsJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { type ChildrenForm, KEY, REASON, SIGNAL, STEP } from './limits.js';
import { RequestReader } from './request-reader.js';

/** How the reason of an action must be written. */
export const WHY = '`reason` says why, in 1 to 1000 characters; it is kept in the journal.';

/** Body of a person's action on a task. */
export class ReasonRequest {
  @Described(WHY)
  @IsText(REASON, WHY)
  reason!: string;
}

/** Body of `:rollback`. */
class RollbackRequest extends ReasonRequest {
  @Described('The step to go back to; the task then waits on hold. Default: undo everything.')
  @MayBeAbsent()
  @IsText(STEP, '`to` is the name of a step: 1 to 2100 characters.')
  to?: string;
}

/** Body of `:restart`. */
class RestartRequest extends ReasonRequest {
  @Described('Merged into the parameters that the task was created with.')
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** Body of `:retry`. */
class RetryRequest extends ReasonRequest {
  @Described(
    'Merged into the parameters; they count for retried steps and for those that start later.',
  )
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @Described(
    'Child tasks of a failed `foreach` to start again: `failed` keeps the others; `all` undoes ' +
      'those that succeeded first; `{"id": ...}` names one that failed. ' +
      'Default: `failed` if one has succeeded, else `all`.',
  )
  @MayBeAbsent()
  @IsChildren('`children` is `failed`, `all`, or `{"id": ...}` with the id of a child task.')
  children?: ChildrenForm;
}

/** Body of `:skip`. */
class SkipRequest extends ReasonRequest {
  @Described('Its name, or the id of its run.')
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;

  @Described('Output of a step that counts as done. Default: none.')
  @MayBeAbsent()
  @IsJsonObject('`output` must be an object.')
  output?: JsonObject;
}

/** Body of `:reset`. */
class ResetRequest extends ReasonRequest {
  @Described('The step to undo and run again.')
  @IsText(STEP, '`to` is the name of a step: 1 to 2100 characters.')
  to!: string;

  @Described('Merged into the parameters; they count for steps that start later.')
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @Described(
    'If `to` is an ended `foreach`, its child tasks to start again: those that failed, or one, ' +
      'which is undone first if it succeeded. The others stay, and only steps that need `to` ' +
      'are undone. Default: `all`, which undoes the step like any other.',
  )
  @MayBeAbsent()
  @IsChildren('`children` is `failed`, `all`, or `{"id": ...}` with the id of a child task.')
  children?: ChildrenForm;
}

/** Body of `:signal`. */
class SignalRequest {
  @Described('Name of the signal that a step waits for, now or later.')
  @IsText(SIGNAL, '`name` is the name of a signal: 1 to 200 characters.')
  name!: string;

  @Described('Output of the step that waits. Default: {}.')
  @MayBeAbsent()
  @IsJsonObject('`payload` must be an object.')
  payload?: JsonObject;

  @Described('The signal is delivered once per key.')
  @MayBeAbsent()
  @IsText(KEY, '`key` makes a repetition harmless: 1 to 255 characters.')
  key?: string;
}

/** Body of `:approve` and `:reject`. */
class JudgeRequest {
  @Described('Its name, or the id of its run.')
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;

  @Described('Kept with the answer.')
  @IsText(REASON, '`comment` says why, in 1 to 1000 characters; it is kept with the answer.')
  comment!: string;
}

/** Reads the body of `:rollback`. */
export const rollbackReader = new RequestReader(RollbackRequest);

/** Reads the body of `:retry`. */
export const retryReader = new RequestReader(RetryRequest);

/** Reads the body of `:restart`. */
export const restartReader = new RequestReader(RestartRequest);

/** Reads the body of the other actions. */
export const reasonReader = new RequestReader(ReasonRequest);

/** Reads the body of `:signal`. */
export const signalReader = new RequestReader(SignalRequest);

/** Reads the body of `:approve` and `:reject`. */
export const judgeReader = new RequestReader(JudgeRequest);

/** Reads the body of `:skip`. */
export const skipReader = new RequestReader(SkipRequest);

/** Reads the body of `:reset`. */
export const resetReader = new RequestReader(ResetRequest);
