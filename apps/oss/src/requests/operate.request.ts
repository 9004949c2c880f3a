import type { JsonObject } from '#core';
import { IsJsonObject, IsText, MayBeAbsent } from './decorators.js';
import { REASON, STEP } from './limits.js';
import { RequestReader } from './request-reader.js';

const WHY = '`reason` says why, in 1 to 1000 characters; it is kept in the journal.';
const reason = { type: 'string', pattern: REASON, description: WHY };

/** Body of a person's action on a task. */
export class ReasonRequest {
  @IsText(REASON, WHY)
  reason!: string;
}

/** Body of `:skip`. */
export class SkipRequest extends ReasonRequest {
  @IsText(STEP, '`step` is the name of a step, or the id of its run: 1 to 2100 characters.')
  step!: string;
}

/** Body of `:reset`. */
export class ResetRequest extends ReasonRequest {
  @IsText(STEP, '`to` is the name of a step: 1 to 2100 characters.')
  to!: string;

  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** `ReasonRequest` as a JSON Schema. */
export const REASON_SCHEMA = {
  type: 'object',
  required: ['reason'],
  additionalProperties: false,
  properties: { reason },
};

/** `SkipRequest` as a JSON Schema. */
export const SKIP_SCHEMA = {
  type: 'object',
  required: ['step', 'reason'],
  additionalProperties: false,
  properties: {
    step: { type: 'string', pattern: STEP, description: 'Its name, or the id of its run.' },
    reason,
  },
};

/** `ResetRequest` as a JSON Schema. */
export const RESET_SCHEMA = {
  type: 'object',
  required: ['to', 'reason'],
  additionalProperties: false,
  properties: {
    to: { type: 'string', pattern: STEP, description: 'The step from which to go on anew.' },
    reason,
    parameters: {
      type: 'object',
      description: 'Merged into the parameters, for what begins from now on.',
    },
  },
};

/** Reads the body of `:rollback`, `:terminate` and `:retry`. */
export const reasonReader = new RequestReader(ReasonRequest, REASON_SCHEMA);

/** Reads the body of `:skip`. */
export const skipReader = new RequestReader(SkipRequest, SKIP_SCHEMA);

/** Reads the body of `:reset`. */
export const resetReader = new RequestReader(ResetRequest, RESET_SCHEMA);
