import { ARCHIVE_QUERY } from '../requests/list-tasks.query.js';
import { putBackReader } from '../requests/put-back.request.js';
import { body, json, READS, type Routes, WRITES } from '../requests/route.js';

/** A body may be this many times as large as a request for one task: as large as a whole one. */
const BODY_FACTOR = 32;

/** The requests about final tasks outside of the store. */
export const ARCHIVE_ROUTES = {
  exportTasks: {
    at: 'GET /v1/archive',
    need: { role: 'admin', about: 'all' },
    summary: 'Export matching final tasks as lines of an archive, newest first; none is removed',
    description:
      'Each line is a whole task, in the form of the files that retention writes. The tasks ' +
      'stay in the store.',
    query: ARCHIVE_QUERY,
    answers: { 200: json('One page; it also ends after 2 MiB', 'ArchivePage') },
    problems: READS,
  },
  importTasks: {
    at: 'POST /v1/archive',
    need: { role: 'admin', about: 'all' },
    summary: 'Import final tasks from an archive; each line gets its own answer',
    description:
      'A line is taken if it is a final task that the store does not have. Tasks that exist ' +
      'are never changed by it.',
    parameters: ['X-Backstep-Actor'],
    body: body('PutBack', putBackReader, { factor: BODY_FACTOR, takesSealed: true }),
    answers: { 200: json('The result of each line', 'PutBackReports') },
    problems: WRITES,
  },
  takeBackup: {
    at: 'POST /v1/backup',
    need: { role: 'admin', about: 'all' },
    summary: 'Take a backup of a standalone process while it works',
    description:
      'The tar file has the store and all that belongs to it, as they were at one moment. ' +
      'Every task that was accepted before the request is in it.',
    parameters: ['X-Backstep-Actor'],
    answers: {
      200: {
        description:
          'The files of one moment; the tar file is whole only if the answer ends in order',
        content: { 'application/octet-stream': { type: 'string', format: 'binary' } },
      },
    },
    problems: [...WRITES, 'NO_BACKUP'],
  },
} as const satisfies Routes;
