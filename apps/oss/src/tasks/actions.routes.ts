import { restartReader } from '../requests/operate.request.js';
import {
  body,
  json,
  KEEPS_SECRETS,
  READS,
  type Route,
  type Routes,
  STARTS_TASK,
  WRITES,
} from '../requests/route.js';
import { isForMany, type Verb, VERB_NAMES, VERBS } from './task-verbs.js';

/** The answer to an action that needs two people. */
export const WAITS = {
  202: json('It waits for a second person, as `BACKSTEP_APPROVALS` demands', 'Operation', [
    'Location',
    'Idempotent-Replayed',
  ]),
};

/** The route of a person's action. */
export interface ActionRoute extends Route {
  readonly at: `POST /v1/tasks/{taskId}:${Verb}`;
  readonly verb: Verb;
}

const ACTS = [
  'TASK_NOT_FOUND',
  'ILLEGAL_ACTION',
  'TASK_UNREADABLE',
  'REVISION_CHANGED',
  'IDEMPOTENCY_KEY_REUSED',
  'RECORD_UNREADABLE',
  'TOO_MANY_REQUESTS',
] as const;

/** The routes of persons' actions on a task, as the table of these has them. */
export const ACTION_ROUTES: Readonly<Record<string, ActionRoute>> = Object.fromEntries(
  VERB_NAMES.flatMap((verb) => {
    const { schema } = VERBS[verb];
    return schema === null ? [] : [[`${verb}Task`, routeOf(verb, schema)] as const];
  }),
);

function routeOf(verb: Verb, schema: string): ActionRoute {
  const { description, problems, summary } = VERBS[verb];
  return {
    at: `POST /v1/tasks/{taskId}:${verb}`,
    need: { role: 'operator', about: 'task' },
    summary,
    description,
    parameters: ['taskId', 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor'],
    body: body(schema),
    answers: {
      200: json('The whole task', 'Task', ['ETag', 'Idempotent-Replayed']),
      // Answers to a question, and news: nobody else has to want them.
      ...(isForMany(verb) ? WAITS : {}),
    },
    problems: [...WRITES, ...ACTS, ...problems],
    verb,
  };
}

/** The requests that begin an ended task again, and that delete it. */
export const ENDED_ROUTES = {
  deleteTask: {
    at: 'DELETE /v1/tasks/{taskId}',
    need: { role: 'operator', about: 'task' },
    summary: 'Delete a final task with its journal, the output of its attempts and its key',
    description:
      'It goes as retention removes tasks: into the archive first, if one is set. A child task ' +
      'stays as long as its parent, which needs it to be undone. The audit log keeps the request.',
    parameters: ['taskId', 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor', 'X-Backstep-Reason'],
    answers: { ...WAITS, 204: { description: 'It is deleted' } },
    problems: [...READS, ...ACTS],
  },

  restartTask: {
    at: 'POST /v1/tasks/{taskId}:restart',
    need: { role: 'starter', about: 'task' },
    summary: 'Create a new task with the flow and parameters of an ended one',
    description:
      'The new task starts from the beginning, and names the old one in `restartOf`. ' +
      'Parameters that are sent along replace those of the same name.',
    parameters: ['taskId', 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor', 'traceparent'],
    body: body('Restart', restartReader),
    answers: {
      200: json('The whole task that an equal request created before', 'Task', [
        'Location',
        'ETag',
        'Idempotent-Replayed',
      ]),
      201: json('The whole task', 'Task', ['Location', 'ETag']),
      ...WAITS,
    },
    problems: [
      ...WRITES,
      ...KEEPS_SECRETS,
      'TASK_NOT_FOUND',
      'FLOW_NOT_FOUND',
      'ILLEGAL_ACTION',
      'REVISION_CHANGED',
      ...STARTS_TASK,
    ],
  },
} as const satisfies Routes;
