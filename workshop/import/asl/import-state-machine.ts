import type { JsonObject, JsonValue } from '#core';
import { StepNames } from '../names.js';
import { inputOf, isObject, numberIn, type Target, textIn } from '../source.js';
import { duration } from '../step.js';
import { coded } from './data.js';
import type { Scope } from './document.js';
import { StateGraph } from './state-graph.js';
import { writeData } from './values.js';
import { walkAll } from './walk.js';

/** The flow file of a state machine of Step Functions. */
export function importStateMachine(machine: JsonValue, target: Target): JsonObject {
  const { name, notes } = target;
  if (!isObject(machine)) {
    return notes.refuse('', 'NOT_THE_FORMAT', 'A state machine must be an object with `States`.');
  }
  const scope: Scope = {
    target,
    names: new StepNames(notes),
    graph: new StateGraph(machine, '', { notes, isBranch: false }),
    isBranch: false,
    isJsonata: textIn(machine, 'QueryLanguage') === 'JSONata',
    execution: '$input',
    copies: new Map(),
    item: undefined,
  };
  const { known, steps } = walkAll(scope, { data: coded('$input'), variables: new Map() });
  const comment = textIn(machine, 'Comment');
  const seconds = numberIn(machine, 'TimeoutSeconds');
  const flow: JsonObject = {
    ...(comment !== undefined && { description: comment }),
    input: {},
    ...(seconds !== undefined && seconds > 0 && { timeout: duration(seconds) }),
    ...(known !== null && { output: writeData(known.data, { scope }, '') }),
    steps,
  };
  return { [name]: { ...flow, input: inputOf(flow, []) } };
}
