import { IsText } from './decorators.js';
import { REASON, STEP_NAME } from './limits.js';
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
  @IsText(STEP_NAME, '`step` is the name of a step: text of 1 to 200 characters.')
  step!: string;
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
  properties: { step: { type: 'string', pattern: STEP_NAME }, reason },
};

/** Reads the body of `:rollback`, `:terminate` and `:retry`. */
export const reasonReader = new RequestReader(ReasonRequest, REASON_SCHEMA);

/** Reads the body of `:skip`. */
export const skipReader = new RequestReader(SkipRequest, SKIP_SCHEMA);
