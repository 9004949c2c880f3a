import { json, type Operation, READS } from './operation.js';

/** The requests that say what would happen, and who is there to do it. */
export const OUTLOOK_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/tasks/{taskId}/rollback-plan',
    id: 'planRollback',
    summary: 'What would be undone if the task went back now, in that order',
    tag: 'tasks',
    parameters: ['taskId'],
    answers: { 200: json('The plan', 'RollbackPlan') },
    problems: [...READS, 'TASK_NOT_FOUND', 'TASK_UNREADABLE'],
  },
  {
    route: 'GET /v1/executors',
    id: 'listExecutors',
    summary: 'The executors that were heard of lately',
    tag: 'operations',
    answers: { 200: json('All of them, by module', 'Executors') },
    problems: READS,
  },
];
