import type { FlowDefinition } from '#core';
import {
  ANYTHING,
  DocumentFault,
  FINITE,
  LIST,
  NUMBERED,
  OBJECT,
  orAbsent,
  orNull,
  TEXT,
} from '#core/json';
import { stepsFault } from '#core/stored';
import { recordCheck, storedUnder } from './record-form.js';

const checkMembers = recordCheck<FlowDefinition>({
  name: TEXT,
  description: orNull(TEXT),
  input: orNull(OBJECT),
  timeoutMs: orNull(FINITE),
  onFailure: ANYTHING,
  onTimeout: ANYTHING,
  constants: orAbsent(OBJECT),
  output: ANYTHING,
  labels: orAbsent(OBJECT),
  locks: orAbsent(LIST),
  failureFlow: orAbsent(TEXT),
  maxLive: orAbsent(NUMBERED),
  steps: LIST,
});

/** The definition of a flow, under its name, if it can be one. Throws `DocumentFault`. */
export function checkFlow(value: unknown, name: string): FlowDefinition {
  const definition = checkMembers(value);
  const fault = stepsFault(definition.steps, 'steps');
  if (fault !== null) throw new DocumentFault(fault);
  return storedUnder(definition, 'name', name);
}
