import { PROGRESS_STATE } from '../work/forms.js';
import { listOf, object, ref } from './schema-parts.js';

const text = { type: 'string' };

const progress = {
  state: {
    type: 'string',
    pattern: PROGRESS_STATE,
    description: 'A state that the command names, such as `copying`.',
  },
  percent: { type: 'number', minimum: 0, maximum: 100 },
  message: text,
  at: { type: 'string', format: 'date-time', description: 'When it said so.' },
};
const OPTIONAL_OF_PROGRESS = ['state', 'percent', 'message'];

/** The schemas of what attempts say, by their names. */
export const OUTPUT_SCHEMAS = {
  Progress: {
    ...object(progress, OPTIONAL_OF_PROGRESS),
    description: 'How far a running attempt is, as it says itself. Absent: it has said nothing.',
  },
  TaskProgress: {
    ...object({ step: text, ...progress }, OPTIONAL_OF_PROGRESS),
    description:
      'The same of a task: of its running attempts, the one that spoke last. Absent: none has.',
  },
  LogLines: object({
    items: listOf(ref('LogLine')),
    dropped: {
      type: 'integer',
      minimum: 0,
      description: 'Lines that were cut and stood before these.',
    },
    page: object({ nextCursor: { type: ['string', 'null'] } }),
  }),
  LogLine: object(
    {
      step: text,
      run: { ...text, description: 'Id of the run.' },
      direction: { enum: ['normal', 'rollback'] },
      attempt: { type: 'integer', minimum: 1 },
      line: { type: 'integer', minimum: 1, description: 'Its number in the attempt, from 1 on.' },
      at: { type: 'string', format: 'date-time' },
      level: { enum: ['debug', 'info', 'warn', 'error'], description: 'As its author gave it.' },
      message: { ...text, description: 'Without control characters and secrets.' },
      dropped: {
        type: 'integer',
        minimum: 1,
        description: 'So many lines right before it were cut.',
      },
    },
    ['level', 'dropped'],
  ),
};
