/** Status and texts of an error code. */
interface ProblemEntry {
  readonly status: number;
  /** The same for every occurrence. */
  readonly title: string;
  /** The remedy on the client's side. */
  readonly cure: string;
}

/** Every error that HTTP answers can carry. `docs/errors.md` lists the same ones. */
export const PROBLEMS = {
  MALFORMED_JSON: {
    status: 400,
    title: 'The body is not JSON',
    cure: 'Mend the text at the place that `detail` names. The body must be UTF-8.',
  },
  INVALID_REQUEST: {
    status: 400,
    title: 'This address does not take such a request',
    cure: 'The mistakes are in `errors`, with a pointer to the member, parameter or header.',
  },
  PROTOCOL_UNSUPPORTED: {
    status: 400,
    title: 'The worker protocol of this number is not served',
    cure: 'Upgrade the worker library, or the gateway: `supported` has the numbers that are served.',
  },
  SIGN_IN_FAILED: {
    status: 400,
    title: 'The sign-in at the identity provider did not succeed',
    cure: 'Begin again on the page *Sign in* of the console. `detail` says what was wrong.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'The request has no valid credential',
    cure: 'Send `Authorization: Bearer <key>` with an API key or a token of the issuer, neither revoked nor expired; or show a client certificate where they are taken.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'The caller may not do this',
    cure: '`detail` names the role or the limit. Ask an admin for a key or a group that has it.',
  },
  NEEDS_TWO_PEOPLE: {
    status: 403,
    title: 'The action needs a second person',
    cure: 'Act on this task by itself: the action then waits until somebody else approves it.',
  },
  WRONG_COMPLETION_TOKEN: {
    status: 403,
    title: 'The completion token is not one of this run',
    cure: 'Send the token that the command of this run was given.',
  },
  WRONG_CLAIM: {
    status: 403,
    title: 'The claim was not made here, or was altered',
    cure: 'Send the `claim` of an item as the poll answered it. All gateways of a deployment need the same `BACKSTEP_SECRET_KEY`.',
  },
  FOREIGN_ORIGIN: {
    status: 403,
    title: 'The request comes from a web page of another origin',
    cure: 'Send it from a program, or from a page of the same host and port. List further hosts of this server in `BACKSTEP_HOSTS`, and origins whose pages may ask in `BACKSTEP_CORS_ORIGINS`.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this address',
    cure: 'Compare the path with `/openapi.json`.',
  },
  FLOW_NOT_FOUND: {
    status: 404,
    title: 'There is no such flow',
    cure: 'List the flows with `GET /v1/flows`, or add the flow: by a file, or by `PUT /v1/flows/{name}`.',
  },
  TASK_NOT_FOUND: {
    status: 404,
    title: 'There is no such task',
    cure: 'Check the id: the answer to the creation of the task had it.',
  },
  WORKER_NOT_FOUND: {
    status: 404,
    title: 'There is no such worker',
    cure: 'List the workers with `GET /v1/executors`: each start of a worker has a name of its own.',
  },
  OPERATION_NOT_FOUND: {
    status: 404,
    title: 'There is no such operation',
    cure: 'List the operations with `GET /v1/operations`.',
  },
  KEY_NOT_FOUND: {
    status: 404,
    title: 'There is no such key',
    cure: 'List the keys with `GET /v1/keys`: it may be revoked already.',
  },
  SCHEDULE_NOT_FOUND: {
    status: 404,
    title: 'There is no such schedule',
    cure: 'List the schedules with `GET /v1/schedules`.',
  },
  NOTIFICATION_NOT_FOUND: {
    status: 404,
    title: 'There is no such notification',
    cure: 'List the notifications with `GET /v1/notifications`.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'There is no such message of the notification',
    cure: 'List its messages with `GET /v1/notifications/{name}/deliveries`; the oldest are gone.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This address does not take this method',
    cure: 'Use one of the methods in the `Allow` header.',
  },
  BODY_TOO_SLOW: {
    status: 408,
    title: 'The body did not arrive in time',
    cure: 'Send it within 10 seconds, and one second more for each MiB that the address takes.',
  },
  ILLEGAL_ACTION: {
    status: 409,
    title: 'The action is not legal in the state the task is in',
    cure: '`detail` names the states in which it is legal; a `hint` names the step down to which the task can go back. Read the task again, then decide.',
  },
  LEASE_LOST: {
    status: 409,
    title: 'The claim is over',
    cure: 'Stop the work. `reason` says why the claim ended, and `recorded` whether the report was kept with its attempt.',
  },
  OUTCOME_DIFFERS: {
    status: 409,
    title: 'Another outcome was reported for this claim before',
    cure: 'Nothing is left to do: the first outcome stays.',
  },
  OPERATION_ENDED: {
    status: 409,
    title: 'The operation has ended',
    cure: 'There is nothing left to cancel. Its effects remain.',
  },
  NOT_WAITING: {
    status: 409,
    title: 'The operation does not wait for anybody',
    cure: 'Read it: somebody has approved or rejected it, it has expired, or one person was enough.',
  },
  FLOW_IN_FILE: {
    status: 409,
    title: 'A file defines the flow',
    cure: 'Change the file, or remove the flow from it first, or store the flow under another name.',
  },
  TASK_UNREADABLE: {
    status: 409,
    title: 'The stored document of the task cannot be read',
    cure: 'Mend the member that `detail` names in the store; the task then goes on by itself.',
  },
  RECORD_UNREADABLE: {
    status: 409,
    title: 'The stored record cannot be read',
    cure:
      'Mend the member that `detail` names in the store, or remove the record there. With a key ' +
      'without limits, store or remove schedules and notifications by a request.',
  },
  NO_BACKUP: {
    status: 409,
    title: 'The store is a server, and has its own tools for backups',
    cure: 'Use these: [backup](operations.md#backup). Only a standalone process copies its store.',
  },
  TASK_GONE: {
    status: 410,
    title: 'The task of the claim was removed',
    cure: 'Stop the work: retention removed the task after its end.',
  },
  REVISION_CHANGED: {
    status: 412,
    title: 'It has changed since it was read',
    cure: 'Read it again, and repeat with its new `ETag` if the change is still right.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    cure: 'Send less at a time, hand over references instead of contents, or raise `BACKSTEP_MAX_PARAMETERS`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'This address does not take this kind of body',
    cure: 'Send `Content-Type: application/json`, without compression. Flows may be `application/jsonc`.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The request expects what is not done here',
    cure: 'Leave the header `Expect` out, or send `Expect: 100-continue`.',
  },
  WRONG_HOST: {
    status: 421,
    title: 'Nothing is served under this host',
    cure: 'Ask by `localhost`, `127.0.0.1` or `[::1]`, or list the name in `BACKSTEP_HOSTS`.',
  },
  INVALID_PARAMETERS: {
    status: 422,
    title: 'The input does not fit the flow or the task',
    cure: 'Compare `errors` with the `input` of the flow, or with the names of its steps.',
  },
  INVALID_OUTPUT: {
    status: 422,
    title: 'The output is not a JSON object that can be kept, or does not fit its schema',
    cure: 'Mend the output. If a worker reported it, the step has failed for good; else it waits as before.',
  },
  OUTPUT_TOO_LARGE: {
    status: 422,
    title: 'The output is too large',
    cure: 'Hand over references instead of contents, or raise `BACKSTEP_MAX_PARAMETERS`: the step has failed for good.',
  },
  SECRET_NEEDED: {
    status: 422,
    title: 'A secret was given to other steps than those that would get it',
    cure: 'Send the secrets that `errors` names again: the flow has changed since they were sent.',
  },
  INVALID_FLOW: {
    status: 422,
    title: 'The flow has problems, so nothing was stored',
    cure: 'Mend what `errors` names, each with its code, pointer, line and column.',
  },
  INVALID_SCHEDULE: {
    status: 422,
    title: 'The schedule has problems, so nothing was stored',
    cure: 'Mend what `errors` names, each with its code and pointer.',
  },
  INVALID_NOTIFICATION: {
    status: 422,
    title: 'The notification has problems, so nothing was stored',
    cure: 'Mend what `errors` names, each with its code and pointer.',
  },
  EXPRESSION_FAILED: {
    status: 422,
    title: 'An expression of the flow fails for this request',
    cure: '`detail` names the label and the reason. Send that label, or mend the flow.',
  },
  FLOW_FILE_TOO_COSTLY: {
    status: 422,
    title: 'The flow file takes too long or too much memory to check',
    cure: 'Split it into several files, or make its `input` schemas smaller.',
  },
  FLOW_CANNOT_RUN: {
    status: 422,
    title: 'A step of the flow could never run, so no task was created',
    cure: 'Mend what `errors` names: a command that no executor serves, or a constant that a command refuses. Or start an executor that serves it.',
  },
  MODULE_NOT_SERVED: {
    status: 422,
    title: 'The flow uses a module that no executor serves',
    cure: 'Start the executor of the module that `detail` names; for `lab` set `BACKSTEP_LAB=on`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The idempotency key was used for a different request',
    cure: 'Use a new key for a new request, and the same key only to repeat the same request.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests are open, or came in a short time',
    cure: 'Wait as long as `Retry-After` says. `detail` names the bound that was reached.',
  },
  TOO_MANY_LIVE: {
    status: 429,
    title: 'The flow has as many unfinished tasks as its `maxLive` allows',
    cure: 'Wait until one of them has ended, and repeat after `Retry-After`. Or raise `maxLive` of the flow.',
  },
  SIGNALS_FULL: {
    status: 429,
    title: 'The task keeps as many signals as it can that no step waits for yet',
    cure: 'Repeat with the same `key` after `Retry-After`: there is room once a step has taken a signal.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The head of the request is too large',
    cure: 'Send fewer headers, or a shorter address: 1,000 headers and 16 KiB with the address are taken.',
  },
  INTERNAL: {
    status: 500,
    title: 'Backstep has a fault',
    cure: 'Report it with the `requestId`; the log has an entry of the same id.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Too many bodies or connections are open',
    cure: 'Repeat after `Retry-After`: nothing was stored. Send fewer large bodies at once.',
  },
  PROCESS_UNAVAILABLE: {
    status: 503,
    title: 'A process that works for the request cannot run now',
    cure: 'Repeat after `Retry-After`: nothing was stored. If it lasts, the machine of the gateway lacks memory, processes or processor time; the log has `process_unavailable`.',
  },
  ISSUER_UNAVAILABLE: {
    status: 503,
    title: 'The issuer of the token does not answer',
    cure: 'Repeat after `Retry-After`, or use an API key if the gateway accepts keys too.',
  },
  SECRET_KEY_MISSING: {
    status: 503,
    title: 'There is no key for secrets',
    cure: 'Set `BACKSTEP_SECRET_KEY`, the same for all processes. To change it, put the new key before the old ones.',
  },
  STORE_DAMAGED: {
    status: 503,
    title: 'The store is damaged, or is no longer the one that the process opened',
    cure: 'Tell the operator, who has to do what `detail` says: [a damaged store](operations.md#a-damaged-store). Then repeat with the same idempotency key.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The store does not answer',
    cure: 'Repeat after `Retry-After` with the same idempotency key: it acts at most once.',
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;

/** Stable name of an error. */
export type ProblemCode = keyof typeof PROBLEMS;
