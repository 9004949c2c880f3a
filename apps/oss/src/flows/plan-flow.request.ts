import { ValidateBy } from 'class-validator';
import type { JsonObject, JsonValue } from '#core';
import { IsJsonObject, isJsonObject, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';

/** Body of `POST /v1/flows/{name}:plan`. */
class PlanFlowRequest {
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** The same as a JSON Schema. */
export const PLAN_FLOW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    parameters: { type: 'object', description: 'As a task would be given them. Default: {}.' },
  },
} as const;

/** Reads the body of `POST /v1/flows/{name}:plan`. */
export const planFlowReader = new RequestReader(PlanFlowRequest, PLAN_FLOW_SCHEMA);

/** Body of `POST /v1/flows:plan`. */
class PlanDraftRequest {
  @ValidateBy(
    {
      name: 'isFlow',
      validator: { validate: (value) => isJsonObject(value) || Array.isArray(value) },
    },
    { message: '`flow` must be a flow: a list of steps, or an object with `steps`.' },
  )
  flow!: JsonValue;

  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** The same as a JSON Schema. */
export const PLAN_DRAFT_SCHEMA = {
  type: 'object',
  required: ['flow'],
  additionalProperties: false,
  properties: {
    flow: {
      type: ['array', 'object'],
      // Generators of clients take no list of which they do not know the items.
      items: {},
      description: 'As flow files write it, without its name.',
    },
    parameters: PLAN_FLOW_SCHEMA.properties.parameters,
  },
} as const;

/** Reads the body of `POST /v1/flows:plan`. */
export const planDraftReader = new RequestReader(PlanDraftRequest, PLAN_DRAFT_SCHEMA);
