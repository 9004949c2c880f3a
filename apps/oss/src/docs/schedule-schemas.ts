import { scheduleReader, triggerReader } from '../schedules/schedule.request.js';
import { AUTHOR, listOf, object, PAGE } from './schema-parts.js';

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const whole = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
const timeOrNull = { ...time, type: ['string', 'null'] };
const times = { type: 'array', items: time };

function orNull(schema: object): object {
  return { oneOf: [{ type: 'null' }, schema] };
}

const { catchUp = {}, overlap = {} } = scheduleReader.schema.properties;

const schedule = object(
  {
    name: text,
    flow: text,
    parameters: { type: 'object' },
    labels: { type: 'object', additionalProperties: text },
    priority: { type: 'integer' },
    cron: text,
    every: { type: ['string', 'number'] },
    at: { type: ['string', 'number'] },
    timezone: text,
    overlap,
    catchUp,
    paused: { type: 'boolean' },
    pause: orNull(object({ by: text, reason: textOrNull, since: time })),
    generation: { type: 'integer', minimum: 1, description: 'One more with every change.' },
    createdAt: time,
    updatedAt: time,
    updatedBy: text,
    author: AUTHOR,
    nextAt: { ...timeOrNull, description: 'Null: the schedule is paused or over.' },
    waiting: { ...times, description: 'Moments that wait for the end of the previous run.' },
    lastRun: orNull(
      object({
        moment: { ...timeOrNull, description: 'Null: triggered by hand.' },
        taskId: { ...textOrNull, description: 'Null: a task that the caller does not see.' },
        at: time,
      }),
    ),
    lastSkipped: orNull(
      object({
        moment: time,
        at: time,
        reason: { enum: ['overlap', 'queue_full', 'missed', 'paused', 'too_many_live'] },
      }),
    ),
    lastError: orNull(
      object({
        moment: time,
        at: time,
        code: text,
        message: text,
        retried: { type: 'boolean', description: 'Whether it is tried again.' },
      }),
    ),
    counts: object({ started: whole, skipped: whole, failed: whole }),
    next: { ...times, description: 'Its next moments, as many as requested.' },
  },
  ['cron', 'every', 'at', 'next'],
);

const explanation = object({
  active: { type: 'boolean', description: 'The schedule continues without help.' },
  causes: listOf(
    object({
      code: { ...text, description: 'For programs.' },
      message: { ...text, description: 'For people.' },
      since: timeOrNull,
      evidence: { type: 'object', description: 'The facts behind it.' },
      next: listOf(object({ action: text, label: text })),
    }),
  ),
  past: {
    ...listOf(
      object({
        result: {
          enum: [
            'started',
            'failed',
            'made_up',
            'overlap',
            'queue_full',
            'missed',
            'paused',
            'too_many_live',
          ],
        },
        from: time,
        to: time,
        count: { type: 'integer', minimum: 1 },
        at: { ...time, description: 'When the last of them was handled.' },
        message: text,
        taskId: { ...textOrNull, description: 'Task of the last one, if it has one.' },
      }),
    ),
    description: 'Consecutive moments with the same result, newest first; 50 at most.',
  },
});

/** The schemas of schedules, by name. */
export const SCHEDULE_SCHEMAS: Readonly<Record<string, object>> = {
  PutSchedule: scheduleReader.schema,
  TriggerSchedule: triggerReader.schema,
  Schedule: schedule,
  ScheduleExplanation: explanation,
  SchedulePage: object({
    items: { type: 'array', items: { $ref: '#/components/schemas/Schedule' } },
    page: PAGE,
  }),
};
