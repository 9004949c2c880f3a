import { COUNT_QUERY } from '../requests/list-tasks.query.js';
import { json, READS, type Routes } from '../requests/route.js';
import { PREVIEW_QUERY } from './preview.query.js';

/** The requests that say how tasks stand, what would happen, and where values are from. */
export const OUTLOOK_ROUTES = {
  planRollback: {
    at: 'GET /v1/tasks/{taskId}/rollback-plan',
    need: { role: 'viewer' },
    summary: 'What a rollback would undo now, in order',
    description:
      'Lists the commands in order, with their parameters as they stand, and whether an ' +
      'executor has each. It also says what would be left over, and which step the rollback ' +
      'does not pass.',
    parameters: ['taskId'],
    answers: { 200: json('The plan', 'RollbackPlan') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  previewAction: {
    at: 'GET /v1/tasks/{taskId}/preview',
    need: { role: 'viewer' },
    summary: 'What an action would do if it were done now',
    description:
      'Plays the action on the task as it is stored, and stores nothing. The answer has what ' +
      'is called off, what starts at once and what follows.',
    parameters: ['taskId'],
    query: PREVIEW_QUERY,
    answers: { 200: json('The course of the action', 'Preview') },
    problems: [
      ...READS,
      'TASK_NOT_FOUND',
      'TASK_UNREADABLE',
      'ILLEGAL_ACTION',
      'INVALID_PARAMETERS',
      'TOO_MANY_REQUESTS',
    ],
  },
  getProvenance: {
    at: 'GET /v1/tasks/{taskId}/provenance',
    need: { role: 'viewer' },
    summary: 'The origin of each parameter of a task, with earlier values',
    description:
      'Each parameter has the list of its values, oldest first. Each value has its writer: a ' +
      'constant, the request, a step or a person.',
    parameters: ['taskId'],
    answers: { 200: json('By the names of the parameters', 'Provenance') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  countTasks: {
    at: 'GET /v1/tasks:count',
    need: { role: 'viewer' },
    summary: 'Count tasks by status, flow or label, also over time',
    description:
      'Takes the filters of lists, and counts by status unless `by` says otherwise. With ' +
      '`every` the counts stand in intervals of time as well.',
    query: COUNT_QUERY,
    answers: { 200: json('The counts', 'TaskCounts') },
    problems: READS,
  },
  explainTask: {
    at: 'GET /v1/tasks/{taskId}/why',
    need: { role: 'viewer' },
    summary: 'Why a task does not move, and what to do about it',
    description:
      'Each cause has a code, a sentence for people, its evidence, and actions that help. The ' +
      'answer follows from stored facts, so it needs no executor.',
    parameters: ['taskId'],
    answers: { 200: json('The reasons', 'Explanation') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
} as const satisfies Routes;
