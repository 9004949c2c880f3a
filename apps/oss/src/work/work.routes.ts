import { body, json, type Routes, WRITES } from '../requests/route.js';
import { heartbeatReader, singleBeatReader } from './heartbeat.request.js';
import {
  againReader,
  doneBody,
  failedReader,
  laterReader,
  releasedReader,
} from './outcome.request.js';
import { pollReader } from './poll.request.js';
import { workerReader } from './worker.request.js';

/** Output and lines of attempts may be this many times as large as the parameters of a task. */
const SAID_FACTOR = 16;

const WORKER = { role: 'worker' } as const;
const PROTOCOL = 'Backstep-Worker-Protocol';
const PARAMETERS = [PROTOCOL];
const OF_CLAIM = ['claim', PROTOCOL];
const PROBLEMS = [...WRITES, 'PROTOCOL_UNSUPPORTED', 'SECRET_KEY_MISSING'] as const;
const OUTCOME_PROBLEMS = [
  ...PROBLEMS,
  'WRONG_CLAIM',
  'LEASE_LOST',
  'OUTCOME_DIFFERS',
  'TASK_GONE',
  'TASK_UNREADABLE',
] as const;
const TAKEN = json('It counts', 'WorkTaken', ['Idempotent-Replayed']);
const LATE = { isLate: true, factor: SAID_FACTOR } as const;
const LATE_OR_NONE = { ...LATE, required: false } as const;

/** The requests by which workers get actions and tell what became of them. */
export const WORK_ROUTES = {
  describeWork: {
    at: 'GET /v1/work',
    need: WORKER,
    summary: 'The worker protocols that are served, and their bounds',
    description:
      'A client looks which numbers it knows. All times of the protocol are durations in ' +
      'milliseconds, so no clock of a worker has to be right.',
    parameters: PARAMETERS,
    answers: { 200: json('Numbers and bounds', 'WorkTerms') },
    problems: ['INVALID_REQUEST', 'PROTOCOL_UNSUPPORTED'],
  },
  putWorker: {
    at: 'PUT /v1/workers/{worker}',
    need: { role: 'operator', or: 'worker' },
    summary: 'Register a worker, or have it drain',
    description:
      'A worker says which commands it has, so that flows are checked against them; a poll alone ' +
      'registers the modules that it names. An operator sets `state`: the polls of a draining ' +
      'worker get nothing more.',
    parameters: ['worker', PROTOCOL, 'X-Backstep-Actor'],
    body: body('PutWorker', workerReader, { factor: SAID_FACTOR }),
    answers: { 200: json('How often it is to renew its claims', 'WorkerTerms') },
    problems: [...PROBLEMS, 'WORKER_NOT_FOUND'],
  },
  removeWorker: {
    at: 'DELETE /v1/workers/{worker}',
    need: WORKER,
    summary: 'Say good-bye: the claims of the worker are handed back',
    description:
      'Others may take them at once. A worker that just falls silent is missed 35 seconds later, ' +
      'and its claims go on when their leases end.',
    parameters: ['worker', PROTOCOL],
    answers: { 204: { description: 'It is gone' } },
    problems: PROBLEMS,
  },
  pollWork: {
    at: 'POST /v1/work:poll',
    need: WORKER,
    summary: 'Take actions of modules; waits for a first one',
    description:
      'The answer comes with the first item and has what else is ready, or nothing when the wait ' +
      'is over. A claim is only delivered until its first heartbeat or outcome: its lease is at ' +
      'most 15 seconds until then, and one that ends so costs no attempt.',
    actsAgain: true,
    parameters: PARAMETERS,
    body: body('PollWork', pollReader),
    answers: { 200: json('The items; none when the wait was over', 'WorkItems') },
    problems: [...PROBLEMS, 'TOO_MANY_REQUESTS'],
  },
  renewWork: {
    at: 'POST /v1/work:heartbeat',
    need: WORKER,
    summary: 'Renew the claims of a worker',
    description:
      'One request for all claims, once in a third of the lease. The answer says of each claim ' +
      'whether to go on, and brings along a cancel.',
    parameters: PARAMETERS,
    body: body('RenewWork', heartbeatReader, { factor: SAID_FACTOR }),
    answers: { 200: json('How each claim stands, in their order', 'WorkRenewed') },
    problems: [...PROBLEMS, 'WRONG_CLAIM'],
  },
  renewClaim: {
    at: 'POST /v1/work/{claim}:heartbeat',
    need: WORKER,
    summary: 'Renew one claim',
    description: 'The same as a heartbeat of one claim. Its body may be absent.',
    parameters: OF_CLAIM,
    body: body('RenewClaim', singleBeatReader, LATE_OR_NONE),
    answers: { 200: json('How the claim stands', 'ClaimRenewed') },
    problems: [...PROBLEMS, 'WRONG_CLAIM', 'TASK_GONE'],
  },
  completeWork: {
    at: 'POST /v1/work/{claim}:complete',
    need: WORKER,
    summary: 'Report that the action is done, with its output',
    description:
      'The same report again gets the same answer. An output that is no object, or is too large, ' +
      'ends the step for good, as that of an executor does.',
    parameters: OF_CLAIM,
    body: body('WorkDone', doneBody, { ...LATE_OR_NONE, takesFaults: true }),
    answers: { 200: TAKEN },
    problems: [...OUTCOME_PROBLEMS, 'INVALID_OUTPUT', 'OUTPUT_TOO_LARGE'],
  },
  failWork: {
    at: 'POST /v1/work/{claim}:fail',
    need: WORKER,
    summary: 'Report that the action failed',
    description:
      'A retryable failure is tried again while the budget of the flow lasts. Any other ends the ' +
      'step for good.',
    parameters: OF_CLAIM,
    body: body('WorkFailed', failedReader, LATE),
    answers: { 200: TAKEN },
    problems: OUTCOME_PROBLEMS,
  },
  repeatWork: {
    at: 'POST /v1/work/{claim}:again',
    need: WORKER,
    summary: 'Report that the action goes on elsewhere, and is to be looked at again',
    description: 'The action is handed out again after the wait. It costs no attempt.',
    parameters: OF_CLAIM,
    body: body('WorkAgain', againReader, LATE),
    answers: { 200: TAKEN },
    problems: OUTCOME_PROBLEMS,
  },
  awaitWork: {
    at: 'POST /v1/work/{claim}:later',
    need: WORKER,
    summary: 'Report that somebody outside completes the action',
    description:
      'The step waits for a completion with the `completionToken` of the item. After `timeout` it ' +
      'fails.',
    parameters: OF_CLAIM,
    body: body('WorkLater', laterReader, LATE_OR_NONE),
    answers: { 200: TAKEN },
    problems: OUTCOME_PROBLEMS,
  },
  releaseWork: {
    at: 'POST /v1/work/{claim}:release',
    need: WORKER,
    summary: 'Hand an action back unfinished',
    description:
      'Another worker may take it at once, and it costs no attempt. With `"onCrash": "fail"` the ' +
      'step fails once its work had begun.',
    parameters: OF_CLAIM,
    body: body('WorkReleased', releasedReader, LATE_OR_NONE),
    answers: { 200: TAKEN },
    problems: OUTCOME_PROBLEMS,
  },
} as const satisfies Routes;
