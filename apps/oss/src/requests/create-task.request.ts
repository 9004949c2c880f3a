import { IsInt, Max, Min } from 'class-validator';
import type { JsonObject } from '#core';
import { IsJsonObject, IsLabels, IsOutputs, IsText, MayBeAbsent } from './decorators.js';
import {
  FLOW_NAME,
  KEY,
  LABEL_NAME,
  LABEL_VALUE,
  LABELS_MAX,
  PRIORITY_MAX,
  STEP,
} from './limits.js';
import { RequestReader } from './request-reader.js';

const PRIORITY = `\`priority\` is a whole number from ${-PRIORITY_MAX} to ${PRIORITY_MAX}.`;

/** Body of `POST /v1/tasks`, and one entry of a batch. */
export class CreateTaskRequest {
  @IsText(FLOW_NAME, '`flow` is the name of a flow: text of 1 to 200 characters.')
  flow!: string;

  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @MayBeAbsent()
  @IsLabels()
  labels?: Readonly<Record<string, string>>;

  @MayBeAbsent()
  @Max(PRIORITY_MAX, { message: PRIORITY })
  @Min(-PRIORITY_MAX, { message: PRIORITY })
  @IsInt({ message: PRIORITY })
  priority?: number;

  @MayBeAbsent()
  @IsText(KEY, '`idempotencyKey` is text of 1 to 255 characters, none of them control.')
  idempotencyKey?: string;

  @MayBeAbsent()
  @IsText(STEP, '`only` is the name of a step of the flow: 1 to 2100 characters.')
  only?: string;

  @MayBeAbsent()
  @IsOutputs('`given` must be an object of objects.')
  given?: Readonly<Record<string, JsonObject>>;
}

/** The same as a JSON Schema. */
export const CREATE_TASK_SCHEMA = {
  type: 'object',
  required: ['flow'],
  additionalProperties: false,
  properties: {
    flow: {
      type: 'string',
      pattern: FLOW_NAME,
      description: 'Name of the flow, or `name@3` for a version of it.',
    },
    parameters: {
      type: 'object',
      description: "Checked against the flow's `input`. Default: {}.",
    },
    labels: {
      type: 'object',
      maxProperties: LABELS_MAX,
      propertyNames: { pattern: LABEL_NAME },
      additionalProperties: { type: 'string', pattern: LABEL_VALUE },
      description: 'To find the task by. Default: {}.',
    },
    priority: {
      type: 'integer',
      minimum: -PRIORITY_MAX,
      maximum: PRIORITY_MAX,
      description: 'Seconds of head start over other tasks. Default: 0.',
    },
    idempotencyKey: {
      type: 'string',
      pattern: KEY,
      description: 'Repeating a request with its key makes no second task.',
    },
    only: {
      ...STEP,
      description: 'The one step of the flow to run, by itself. Default: all of them.',
    },
    given: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description:
        'Outputs of steps before `only`, by their names, as if they had run. Default: {}.',
    },
  },
} as const;

/** Reads the body of `POST /v1/tasks`. */
export const createTaskReader = new RequestReader(CreateTaskRequest, CREATE_TASK_SCHEMA);
