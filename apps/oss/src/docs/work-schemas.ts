import { pollReader } from '../work/poll.request.js';
import { HEARTBEATS_SCHEMA, singleBeatReader } from '../work/heartbeat.request.js';
import {
  againReader,
  DONE_SCHEMA,
  failedReader,
  laterReader,
  releasedReader,
} from '../work/outcome.request.js';
import { workerReader } from '../work/worker.request.js';
import { growing, listOf, object, ref } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer' };
const flag = { type: 'boolean' };
const anything = { type: 'object' };
const anythingOrNull = { type: ['object', 'null'] };

/** Milliseconds. */
function ms(description: string): object {
  return { type: 'integer', minimum: 0, description };
}

const heartbeatMs = ms('How often to renew claims, in milliseconds.');
const logTruncated = { ...flag, description: 'Lines of the attempt are missing by now.' };

const claimState = {
  state: growing(
    ['held', 'cancelled', 'lost', 'ended'],
    '`held`: go on. `cancelled`: stop within `stopWithinMs`, and report or release. `lost`: stop, ' +
      'it is not yours any more. `ended`: its outcome is known.',
  ),
  reason: { ...text, description: 'Why it is cancelled or lost.' },
  leaseMs: ms('The lease from the sending of the request on, in milliseconds.'),
  stopWithinMs: ms('When the undo begins at the latest, in milliseconds.'),
  logTruncated,
};
const OPTIONAL_OF_CLAIM = ['reason', 'leaseMs', 'stopWithinMs', 'logTruncated'];

const item = object(
  {
    claim: { ...text, description: 'For the addresses of its outcomes.' },
    taskId: text,
    flow: text,
    step: text,
    run: { ...text, description: 'Id of the run of the step, unique in the task.' },
    direction: { enum: ['normal', 'rollback'] },
    module: text,
    command: text,
    parameters: { ...anything, description: 'With secrets in clear.' },
    labels: { type: 'object', additionalProperties: text },
    results: {
      type: 'object',
      additionalProperties: anything,
      description: 'Outputs of the steps that this one needs, by their names.',
    },
    attempt: { type: 'integer', minimum: 1 },
    idempotencyKey: {
      ...text,
      description: 'The same for every attempt: give it to what must not happen twice.',
    },
    forwardKey: { ...text, description: 'Of an undo: the key that the action used.' },
    forward: {
      ...object({
        state: growing(['succeeded', 'failed', 'unknown'], 'What is known of it.'),
        output: anythingOrNull,
      }),
      description: 'Of an undo: the action that it undoes.',
    },
    fencingToken: { ...whole, description: 'Grows with every claim of the task.' },
    completionToken: { ...text, description: 'For a completion from outside: a secret.' },
    leaseMs: ms('Until its first heartbeat, from the sending of the poll on, in milliseconds.'),
    timeLeftMs: ms('For all attempts together, in milliseconds.'),
    attemptTimeLeftMs: ms('For this attempt, in milliseconds.'),
    confirm: { ...flag, description: 'Do nothing before a heartbeat has answered `held`.' },
    traceparent: { ...textOrNull, description: 'W3C trace context.' },
  },
  ['forward'],
);

/** The schemas of the worker protocol, by name. */
export const WORK_SCHEMAS: Readonly<Record<string, object>> = {
  WorkTerms: object({
    protocols: { ...listOf(whole), description: 'Numbers of the protocols that are served.' },
    limits: object({
      claimsPerPoll: whole,
      waitMs: whole,
      leaseMs: object({ min: whole, default: whole, max: whole }),
      logBytes: { ...whole, description: 'Of the lines that are kept of an attempt.' },
    }),
  }),
  PutWorker: workerReader.schema,
  WorkerTerms: object({ heartbeatMs }),
  PollWork: pollReader.schema,
  WorkItem: item,
  WorkItems: object(
    {
      items: listOf(ref('WorkItem')),
      drain: { ...flag, description: 'An operator has the worker drain: it gets nothing more.' },
      retryAfterMs: ms('When to poll again, in milliseconds. Absent: at once.'),
    },
    ['drain', 'retryAfterMs'],
  ),
  RenewWork: HEARTBEATS_SCHEMA,
  WorkRenewed: object({
    claims: listOf(object({ claim: text, ...claimState }, OPTIONAL_OF_CLAIM)),
    heartbeatMs,
  }),
  RenewClaim: singleBeatReader.schema,
  ClaimRenewed: object({ ...claimState, heartbeatMs }, OPTIONAL_OF_CLAIM),
  WorkDone: DONE_SCHEMA,
  WorkFailed: failedReader.schema,
  WorkAgain: againReader.schema,
  WorkLater: laterReader.schema,
  WorkReleased: releasedReader.schema,
  WorkTaken: object(
    {
      taskStatus: ref('TaskStatusNumber'),
      status: ref('TaskStatus'),
      items: { ...listOf(ref('WorkItem')), description: 'Where `poll` asked for some.' },
      logTruncated,
    },
    ['items', 'logTruncated'],
  ),
};
