import { ref } from '../docs/schema-parts.js';
import { completeReader } from '../requests/complete.request.js';
import { body, JSON_TYPE, KEEPS_SECRETS, type Routes, WRITES } from '../requests/route.js';
import { WAITS } from './actions.routes.js';

/** The request by which a person or system outside says how an attempt ended. */
export const COMPLETION_ROUTES = {
  completeRun: {
    at: 'POST /v1/tasks/{taskId}/steps/{run}:complete',
    need: { role: 'operator', about: 'task', or: 'worker' },
    summary: 'Report how an attempt ended that completes from outside, by its token or by right',
    description:
      'The outcome counts once: a repetition of the same one changes nothing. The token ' +
      'belongs to one attempt, so a late report of an earlier attempt is refused.',
    parameters: ['taskId', 'run', 'Idempotency-Key', 'If-Match', 'X-Backstep-Actor'],
    body: body('Complete', completeReader),
    answers: {
      200: {
        description: 'The whole task; to the role `worker`, which reads no tasks, the run alone',
        content: { [JSON_TYPE]: ref('Completed') },
        headers: ['ETag', 'Idempotent-Replayed'],
      },
      ...WAITS,
    },
    problems: [
      ...WRITES,
      ...KEEPS_SECRETS,
      'TASK_NOT_FOUND',
      'WRONG_COMPLETION_TOKEN',
      'ILLEGAL_ACTION',
      'INVALID_PARAMETERS',
      'INVALID_OUTPUT',
      'TASK_UNREADABLE',
      'REVISION_CHANGED',
      'IDEMPOTENCY_KEY_REUSED',
      'RECORD_UNREADABLE',
      'TOO_MANY_REQUESTS',
    ],
  },
} as const satisfies Routes;
