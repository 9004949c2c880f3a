import type { JsonObject } from '#core';
import {
  Described,
  IsJsonObject,
  IsLabels,
  IsOutputs,
  IsPriority,
  IsText,
  MayBeAbsent,
} from './decorators.js';
import { FLOW_NAME, KEY, STEP } from './limits.js';
import { RequestReader } from './request-reader.js';

/** Body of `POST /v1/tasks`, and one entry of a batch. */
export class CreateTaskRequest {
  @Described('Name of the flow, or `name@3` for a version of it.')
  @IsText(FLOW_NAME, '`flow` is the name of a flow: text of 1 to 200 characters.')
  flow!: string;

  @Described("Checked against the flow's `input`. Default: {}.")
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;

  @Described('Labels to find the task by. Default: {}.')
  @MayBeAbsent()
  @IsLabels()
  labels?: Readonly<Record<string, string>>;

  @Described('Its steps are ordered as if they were due so many seconds earlier. Default: 0.')
  @MayBeAbsent()
  @IsPriority()
  priority?: number;

  @Described('A request that is repeated with its key creates no second task.')
  @MayBeAbsent()
  @IsText(KEY, '`idempotencyKey` is text of 1 to 255 characters, none of them control.')
  idempotencyKey?: string;

  @Described('The only step of the flow to run. Default: all steps run.')
  @MayBeAbsent()
  @IsText(STEP, '`only` is the name of a step of the flow: 1 to 2100 characters.')
  only?: string;

  @Described('Outputs of the steps before `only`, by name, as if they had run. Default: {}.')
  @MayBeAbsent()
  @IsOutputs('`given` must be an object of objects.')
  given?: Readonly<Record<string, JsonObject>>;
}

/** Reads the body of `POST /v1/tasks`. */
export const createTaskReader = new RequestReader(CreateTaskRequest);
