import { putBackReader } from '../requests/put-back.request.js';
import { PAGE } from './schema-parts.js';

const textOrNull = { type: ['string', 'null'] };

const report = {
  index: { type: 'integer', description: 'Index of the line in the request.' },
  result: {
    enum: ['imported', 'present', 'refused'],
    description: 'present: a task with this id exists, and is unchanged.',
  },
  taskId: { ...textOrNull, description: 'Null: the line is no task.' },
  message: { ...textOrNull, description: 'Why it was refused.' },
};

/** The schemas of archives, by name. */
export const ARCHIVE_SCHEMAS: Readonly<Record<string, object>> = {
  PutBack: putBackReader.schema,
  PutBackReports: {
    type: 'object',
    required: ['results'],
    properties: {
      results: {
        type: 'array',
        items: { type: 'object', required: Object.keys(report), properties: report },
      },
    },
  },
  ArchivePage: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { type: 'string', description: 'JSON in one line.' } },
      page: PAGE,
    },
  },
};
