import type { JsonObject } from '#core';
import { IsChildren, IsJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { CHILDREN, type ChildrenForm, KEY, REASON, SIGNAL, STEP } from './limits.js';
import { RequestReader } from './request-reader.js';

const WHY = '`reason` says why, in 1 to 1000 characters; it is kept in the journal.';
const reason = { ...REASON, description: WHY };

/** Body of a person's action on a task. */
export class ReasonRequest {
  @IsText(REASON, WHY)
  reason!: string;
}

/** Body of `:rollback`. */
class RollbackRequest extends ReasonRequest {
  @MayBeAbsent()
  @IsText(STEP, '`to` is the name of a step: 1 to 2100 characters.')
  to?: string;
}

/** Body of `:restart`. */
class RestartRequest extends ReasonRequest {
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** Body of `:retry`. */
class RetryRequest extends RestartRequest {
  @MayBeAbsent()
  @IsChildren('`children` is `failed`, `all`, or `{"id": ...}` with the id of a child task.')
  children?: ChildrenForm;
}

/** Body of `:skip`. */
class SkipRequest extends ReasonRequest {
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;

  @MayBeAbsent()
  @IsJsonObject('`output` must be an object.')
  output?: JsonObject;
}

/** Body of `:reset`. */
class ResetRequest extends ReasonRequest {
  @IsText(STEP, '`to` is the name of a step: 1 to 2100 characters.')
  to!: string;

  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @MayBeAbsent()
  @IsChildren('`children` is `failed`, `all`, or `{"id": ...}` with the id of a child task.')
  children?: ChildrenForm;
}

/** Body of `:signal`. */
class SignalRequest {
  @IsText(SIGNAL, '`name` is the name of a signal: 1 to 200 characters.')
  name!: string;

  @MayBeAbsent()
  @IsJsonObject('`payload` must be an object.')
  payload?: JsonObject;

  @MayBeAbsent()
  @IsText(KEY, '`key` makes a repetition harmless: 1 to 255 characters.')
  key?: string;
}

/** Body of `:approve` and `:reject`. */
class JudgeRequest {
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;

  @IsText(REASON, '`comment` says why, in 1 to 1000 characters; it is kept with the answer.')
  comment!: string;
}

/** `SignalRequest` as a JSON Schema. */
const SIGNAL_SCHEMA = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: SIGNAL, description: 'For which a step waits, or will.' },
    payload: { type: 'object', description: 'The output of the step that waits; default: {}.' },
    key: { type: 'string', pattern: KEY, description: 'It is delivered once for each key.' },
  },
};

/** `JudgeRequest` as a JSON Schema. */
const JUDGE_SCHEMA = {
  type: 'object',
  required: ['step', 'comment'],
  additionalProperties: false,
  properties: {
    step: { ...STEP, description: 'Its name, or the id of its run.' },
    comment: { ...REASON, description: 'Kept with the answer.' },
  },
};

/** `ReasonRequest` as a JSON Schema. */
export const REASON_SCHEMA = {
  type: 'object',
  required: ['reason'],
  additionalProperties: false,
  properties: { reason },
};

/** `RollbackRequest` as a JSON Schema. */
export const ROLLBACK_SCHEMA = {
  type: 'object',
  required: ['reason'],
  additionalProperties: false,
  properties: {
    reason,
    to: {
      ...STEP,
      description: 'The step down to which to go back, and then wait; default: all the way.',
    },
  },
};

/** `RetryRequest` as a JSON Schema. */
export const RETRY_SCHEMA = {
  type: 'object',
  required: ['reason'],
  additionalProperties: false,
  properties: {
    reason,
    parameters: {
      type: 'object',
      description: 'Merged into the parameters, for what is retried and what begins from now on.',
    },
    children: {
      ...CHILDREN,
      description:
        'Of a `foreach` that failed, which child tasks are begun anew: those that failed, while ' +
        'the others stay; all, once those that succeeded are undone; or one that failed. ' +
        'Default: `failed` where one has succeeded, else `all`.',
    },
  },
};

/** The same as `:restart` takes it. */
export const RESTART_SCHEMA = {
  ...RETRY_SCHEMA,
  properties: {
    reason,
    parameters: {
      type: 'object',
      description: 'Merged into the parameters that the task was created with.',
    },
  },
};

/** `SkipRequest` as a JSON Schema. */
export const SKIP_SCHEMA = {
  type: 'object',
  required: ['step', 'reason'],
  additionalProperties: false,
  properties: {
    step: { ...STEP, description: 'Its name, or the id of its run.' },
    reason,
    output: {
      type: 'object',
      description: 'Of a step that counts as done: what it gives; default: nothing.',
    },
  },
};

/** `ResetRequest` as a JSON Schema. */
export const RESET_SCHEMA = {
  type: 'object',
  required: ['to', 'reason'],
  additionalProperties: false,
  properties: {
    to: { ...STEP, description: 'The step from which to go on anew.' },
    reason,
    parameters: {
      type: 'object',
      description: 'Merged into the parameters, for what begins from now on.',
    },
    children: {
      ...CHILDREN,
      description:
        'Where `to` is a `foreach` that has ended, which child tasks are begun anew: those that ' +
        'failed, or one, which is undone first if it succeeded. The others stay, and only what ' +
        'needs the step is undone. Default: `all`, of a step that is undone as any other.',
    },
  },
};

/** Every body of an action, by its name in the OpenAPI document. */
export const ACTION_SCHEMAS = {
  Reason: REASON_SCHEMA,
  Rollback: ROLLBACK_SCHEMA,
  Retry: RETRY_SCHEMA,
  Restart: RESTART_SCHEMA,
  Skip: SKIP_SCHEMA,
  Signal: SIGNAL_SCHEMA,
  Judge: JUDGE_SCHEMA,
  Reset: RESET_SCHEMA,
};

/** Reads the body of `:rollback`. */
export const rollbackReader = new RequestReader(RollbackRequest, ROLLBACK_SCHEMA);

/** Reads the body of `:retry`. */
export const retryReader = new RequestReader(RetryRequest, RETRY_SCHEMA);

/** Reads the body of `:restart`. */
export const restartReader = new RequestReader(RestartRequest, RESTART_SCHEMA);

/** Reads the body of the other actions. */
export const reasonReader = new RequestReader(ReasonRequest, REASON_SCHEMA);

/** Reads the body of `:signal`. */
export const signalReader = new RequestReader(SignalRequest, SIGNAL_SCHEMA);

/** Reads the body of `:approve` and `:reject`. */
export const judgeReader = new RequestReader(JudgeRequest, JUDGE_SCHEMA);

/** Reads the body of `:skip`. */
export const skipReader = new RequestReader(SkipRequest, SKIP_SCHEMA);

/** Reads the body of `:reset`. */
export const resetReader = new RequestReader(ResetRequest, RESET_SCHEMA);
