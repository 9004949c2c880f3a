import { COUNT_QUERY } from '../requests/list-tasks.query.js';
import { PREVIEW_QUERY } from '../tasks/preview.query.js';
import { json, type Operation, READS } from './operation.js';

/** The requests that say what would happen, where values are from, and who is there to do it. */
export const OUTLOOK_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/tasks/{taskId}/rollback-plan',
    id: 'planRollback',
    summary: 'What a rollback would undo now, in order',
    tag: 'tasks',
    parameters: ['taskId'],
    answers: { 200: json('The plan', 'RollbackPlan') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  {
    route: 'GET /v1/tasks/{taskId}/preview',
    id: 'previewAction',
    summary: 'What an action would do if it were done now',
    tag: 'tasks',
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
  {
    route: 'GET /v1/tasks/{taskId}/provenance',
    id: 'getProvenance',
    summary: 'The origin of each parameter of a task, with earlier values',
    tag: 'tasks',
    parameters: ['taskId'],
    answers: { 200: json('By the names of the parameters', 'Provenance') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  {
    route: 'GET /v1/tasks:count',
    id: 'countTasks',
    summary: 'Count tasks by status, flow or label, also over time',
    tag: 'tasks',
    query: COUNT_QUERY,
    answers: { 200: json('The counts', 'TaskCounts') },
    problems: READS,
  },
  {
    route: 'GET /v1/tasks/{taskId}/why',
    id: 'explainTask',
    summary: 'Why a task does not move, and what to do about it',
    tag: 'tasks',
    parameters: ['taskId'],
    answers: { 200: json('The reasons', 'Explanation') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  {
    route: 'GET /v1/executors',
    id: 'listExecutors',
    summary: 'List the executors that were seen lately',
    tag: 'operations',
    answers: { 200: json('All of them, by module', 'Executors') },
    problems: READS,
  },
  {
    route: 'GET /v1/locks',
    id: 'listLocks',
    summary: 'List the locks that tasks hold or wait for',
    tag: 'operations',
    answers: { 200: json('All of them, by name', 'Locks') },
    problems: READS,
  },
];
