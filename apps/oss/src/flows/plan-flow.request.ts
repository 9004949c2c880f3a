import type { JsonObject } from '#core';
import { IsJsonObject, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';

/** Body of `POST /v1/flows/{name}:plan`. */
export class PlanFlowRequest {
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
