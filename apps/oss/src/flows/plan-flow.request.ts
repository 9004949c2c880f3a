import type { JsonObject, JsonValue } from '#core';
import { isObject } from '#core/json';
import { Described, Fits, IsJsonObject, MayBeAbsent } from '../requests/decorators.js';
import { RequestReader } from '../requests/request-reader.js';

/** Body of `POST /v1/flows/{name}:plan`. */
class PlanFlowRequest {
  @Described('Parameters as of a task. Default: {}.')
  @MayBeAbsent()
  @IsJsonObject('`parameters` must be an object.')
  parameters?: JsonObject;
}

/** Reads the body of `POST /v1/flows/{name}:plan`. */
export const planFlowReader = new RequestReader(PlanFlowRequest);

function IsFlow(): PropertyDecorator {
  return Fits({
    name: 'isFlow',
    // Generators of clients take no list of which they do not know the items.
    schema: { type: ['array', 'object'], items: {} },
    validate: (value) => isObject(value) || Array.isArray(value),
    message: '`flow` must be a flow: a list of steps, or an object with `steps`.',
  });
}

/** Body of `POST /v1/flows:plan`. */
class PlanDraftRequest extends PlanFlowRequest {
  @Described('The flow as in flow files, without its name.')
  @IsFlow()
  flow!: JsonValue;
}

/** Reads the body of `POST /v1/flows:plan`. */
export const planDraftReader = new RequestReader(PlanDraftRequest);
