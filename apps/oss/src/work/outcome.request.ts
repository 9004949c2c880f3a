import { IsBoolean, IsString } from 'class-validator';
import type { WorkOutcome } from '#engine';
import { invalidRequest, Problem } from '#http-server';
import { Described, Fits, isJsonObject, IsText, MayBeAbsent } from '../requests/decorators.js';
import { ERROR_CODE, fits, lineForm, REASON } from '../requests/limits.js';
import { IsReadBy, RequestReader } from '../requests/request-reader.js';
import { isNameForm, IsTime, readTime, type Time } from './forms.js';
import { nextPollReader, type NextPollRequest } from './poll.request.js';
import { UnfitOutput } from './unfit-output.js';
import { WORK_LIMITS } from './work-limits.js';
import { SaidRequest } from './said.request.js';

const { after, message: messageMax } = WORK_LIMITS;
/** Things of an outcome: a document has to hold those of every attempt. */
const RESOURCES_MAX = 20;
const POLL = '`poll` is `{"max": ...}`: a whole number from 1 to 100.';

/** The members that every outcome may have. */
export class OutcomeRequest extends SaidRequest {
  @Described('Asks for further items, by the newest poll of the worker and without a wait.')
  @MayBeAbsent()
  @IsReadBy(nextPollReader, POLL)
  poll?: NextPollRequest;
}

/** Body of `:complete`. */
class WorkDoneRequest extends OutcomeRequest {
  // Checked later: an output that cannot be kept ends the step.
  @Described('Output of the step, an object. Default: none.', { type: ['object', 'null'] })
  output?: unknown;

  @Described('What the action has made outside: kept with its attempt.')
  @MayBeAbsent()
  @IsResources('creates')
  creates?: readonly { readonly type: string; readonly id: string }[];

  @Described('What it has removed outside: kept with its attempt.')
  @MayBeAbsent()
  @IsResources('released')
  released?: readonly { readonly type: string; readonly id: string }[];
}

const isId = fits(lineForm(1, 200));

/** Things outside, each with its type and id. */
function IsResources(member: string): PropertyDecorator {
  const text = { type: 'string' };
  const properties = { type: { ...text, maxLength: 100 }, id: { ...text, maxLength: 200 } };
  const each = {
    type: 'object',
    required: ['type', 'id'],
    additionalProperties: false,
    properties,
  };
  const schema = { type: 'array', maxItems: RESOURCES_MAX, items: each };
  const validate = (value: unknown): boolean => {
    return Array.isArray(value) && value.length <= RESOURCES_MAX && value.every(isResource);
  };
  const message =
    `\`${member}\` is a list of up to ${RESOURCES_MAX} objects, each with a \`type\`, a name, and ` +
    'an `id`, a line of 1 to 200 characters.';
  return Fits({ name: 'isResources', schema, validate, message });
}

function isResource(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, type, ...unknown } = value;
  return isNameForm(type) && isId(id) && Object.keys(unknown).length === 0;
}

/** Body of `:fail`. */
class WorkFailedRequest extends OutcomeRequest {
  @Described('The code of the error, as `catch` and `retry` of flows name it, such as `QUOTA`.')
  @MayBeAbsent()
  @IsText(ERROR_CODE, '`code` is 1 to 64 capitals, digits and underscores, a capital first.')
  code?: string;

  @Described(`One sentence for people, of up to ${messageMax} bytes.`)
  @IsString({ message: '`message` is text.' })
  message!: string;

  @Described('Whether another attempt may help.')
  @IsBoolean({ message: '`retryable` is true or false.' })
  retryable!: boolean;

  @Described('The wait before the next attempt. Default: that of the flow.')
  @MayBeAbsent()
  @IsTime('after', { max: after })
  after?: Time;
}

/** Body of `:again`. */
class WorkAgainRequest extends OutcomeRequest {
  @Described('When to look again.')
  @IsTime('after', { max: after })
  after!: Time;
}

/** Body of `:later`. */
class WorkLaterRequest extends OutcomeRequest {
  @Described('How long to wait for the completion. Default: while there is time for the action.')
  @MayBeAbsent()
  @IsTime('timeout', { max: after })
  timeout?: Time;
}

/** Body of `:release`. */
class WorkReleasedRequest extends OutcomeRequest {
  @Described('Why it is handed back, in 1 to 1000 characters.')
  @MayBeAbsent()
  @IsText(REASON, '`reason` says why, in 1 to 1000 characters.')
  reason?: string;
}

const doneReader = new RequestReader(WorkDoneRequest);

/** The schema of the body of `:complete`. */
export const DONE_SCHEMA = doneReader.schema;

/** Reads the body of `:complete`, or finds that its output cannot be kept. */
export const doneBody = {
  read(body: unknown): WorkDoneRequest | UnfitOutput {
    if (body instanceof Problem) return outputFaultIn(body);
    const request = doneReader.read(body);
    const { output = null } = request;
    if (output === null || isJsonObject(output)) return request;
    return new UnfitOutput('INVALID_OUTPUT', 'The output must be an object.');
  },
};

/** Rethrows what is wrong with anything else of the body. */
function outputFaultIn(problem: Problem): UnfitOutput {
  const { code, errors = [], headers, message } = problem;
  if (code === 'PAYLOAD_TOO_LARGE') {
    return new UnfitOutput('OUTPUT_TOO_LARGE', message, undefined, headers);
  }
  const isOfOutput = /^\/output(\/|$)/.test(errors[0]?.pointer ?? '');
  if (!isOfOutput) throw problem;
  return new UnfitOutput('INVALID_OUTPUT', message);
}

export const failedReader = new RequestReader(WorkFailedRequest);
export const againReader = new RequestReader(WorkAgainRequest);
export const laterReader = new RequestReader(WorkLaterRequest);
export const releasedReader = new RequestReader(WorkReleasedRequest);

/** The failure that a body tells. Throws the `Problem` of a member out of bounds. */
export function failureOf(body: WorkFailedRequest): WorkOutcome {
  const { after: wait, code, message, retryable } = body;
  const bytes = Buffer.byteLength(message);
  if (bytes > messageMax) {
    const fault = `\`message\` has ${bytes} bytes; at most ${messageMax} are taken.`;
    throw invalidRequest({ pointer: '/message', message: fault });
  }
  return {
    kind: 'fail',
    terminal: !retryable,
    message,
    ...namedBy(code),
    ...(wait !== undefined && { afterMs: readTime('after', wait, { max: after }) }),
  };
}

/** A failure about parameters keeps its number. It is undone, as the command may have begun. */
function namedBy(code: string | undefined): Partial<Extract<WorkOutcome, { kind: 'fail' }>> {
  if (code === 'INVALID_PARAMETERS') return { failure: code };
  return code === undefined ? {} : { error: code };
}

/** The wait for another look that a body tells. Throws the `Problem` of a time out of bounds. */
export function lookOf({ after: wait }: WorkAgainRequest): WorkOutcome {
  return { kind: 'again', afterMs: readTime('after', wait, { max: after }) };
}

/** The wait for a completion that a body tells. Throws the `Problem` of a time out of bounds. */
export function waitOf({ timeout }: WorkLaterRequest): WorkOutcome {
  const timeoutMs = timeout === undefined ? null : readTime('timeout', timeout, { max: after });
  return { kind: 'later', timeoutMs };
}
