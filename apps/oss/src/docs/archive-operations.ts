import { ARCHIVE_QUERY } from '../requests/list-tasks.query.js';
import { body, json, type Operation, READS, WRITES } from './operation.js';

/** The requests about final tasks outside of the store. */
export const ARCHIVE_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/archive',
    id: 'exportTasks',
    summary: 'Final tasks that match, newest first, each as a line of an archive; none is removed',
    tag: 'operations',
    query: ARCHIVE_QUERY,
    answers: { 200: json('One page; it also ends after 2 MiB', 'ArchivePage') },
    problems: READS,
  },
  {
    route: 'POST /v1/archive',
    id: 'importTasks',
    summary: 'Put final tasks of an archive back; every line has an answer of its own',
    tag: 'operations',
    parameters: ['X-Backstep-Actor'],
    body: body('PutBack'),
    answers: { 200: json('What became of each line', 'PutBackReports') },
    problems: WRITES,
  },
];
