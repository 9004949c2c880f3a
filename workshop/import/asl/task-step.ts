import type { JsonObject, JsonValue } from '#core';
import { below, clip, memberOf, numberIn, objectOf, textIn } from '../source.js';
import { retryOf, type Step, timesOf } from '../step.js';
import { codeOf, coded, type Data, select } from './data.js';
import { argumentsOf } from './document.js';
import { type Call, readResource } from './resource.js';
import type { State } from './state-graph.js';
import { tryingOf } from './trying.js';
import { readTemplate, type Sight, writeCode, writeData } from './values.js';

/** The members of a step, and what the state's result is. */
export interface Made {
  readonly step: Step;
  readonly result: Data;
  /** A step that must come before it. */
  readonly before?: Step | undefined;
}

/** A task: a command, or a child task of another flow. */
export function taskStep(state: State, name: string, sight: Sight): Made {
  const { notes } = sight.scope.target;
  const resource = textIn(state.value, 'Resource');
  if (resource === undefined) {
    return notes.refuse(state.pointer, 'NOT_THE_FORMAT', 'A task must have a `Resource`.');
  }
  const call = readResource(resource, argumentsOf(state, sight), sight.scope.target);
  const output = codeOf(select(coded('$steps'), [name]));
  const result = call.result(output);
  if (call.kind === 'flow') return { step: { name, flow: flowOf(call, state, sight) }, result };
  noteCommand(call, state, sight);
  const trying = tryingOf(state, sight.scope);
  const normal: JsonObject = {
    module: call.module,
    command: call.name,
    ...timesOf(numberIn(state.value, 'TimeoutSeconds'), trying),
    ...retryOf(trying),
    ...parametersOf(call, state, sight),
  };
  return { step: { name, normal }, result };
}

function flowOf(call: Call, state: State, sight: Sight): JsonObject {
  if (memberOf(state.value, 'Retry') !== undefined) {
    const message = 'A child task is not retried. Put the step into a `group` with a `retry`.';
    sight.scope.target.notes.add(state.pointer, 'RETRY_CHANGED', message);
  }
  const { parameters } = call;
  const given = parameters === undefined ? sight.known.data : readTemplate(parameters, sight);
  return { name: call.name, parameters: writeData(given, sight, state.pointer) };
}

function parametersOf({ parameters }: Call, state: State, sight: Sight): JsonObject {
  const { data } = sight.known;
  const given = parameters === undefined ? data : readTemplate(parameters, sight);
  const pointer = parameters?.pointer ?? state.pointer;
  if (given.kind === 'object' && given.base === null) {
    return filled(writeData(given, sight, pointer));
  }
  if (parameters !== undefined) {
    noteInput(state, sight, 'The command reads its arguments from the parameter `input`.');
    return { parameters: { input: writeData(given, sight, pointer) } };
  }
  const isFirst = sight.scope.copies.size === 1;
  if (codeOf(data) === '$input' && isFirst) return {};
  const message = `The command gets the merged parameters. Its input was \`${clip(codeOf(data))}\`.`;
  noteInput(state, sight, message);
  if (given.kind !== 'object') return {};
  const own = [...given.members].map(([name, value]): [string, JsonValue] => {
    return [name, writeData(value, sight, pointer)];
  });
  return filled(objectOf(own));
}

function filled(parameters: JsonValue): JsonObject {
  return Object.keys(parameters as JsonObject).length === 0 ? {} : { parameters };
}

function noteInput({ pointer }: State, { scope }: Sight, message: string): void {
  scope.target.notes.add(pointer, 'INPUT_MERGED', message);
}

function noteCommand(call: Call, { pointer, value }: State, sight: Sight): void {
  const { notes } = sight.scope.target;
  const command = `${call.module}.${call.name}`;
  if (command !== 'http.request') {
    const message = `An executor must serve \`${command}\` and return an object.`;
    notes.add(below(pointer, 'Resource'), 'COMMAND_NEEDED', message);
  }
  if (call.isToken) {
    const message = `\`${command}\` must return \`completeLater\` and pass on its completion token.`;
    notes.add(below(pointer, 'Resource'), 'COMMAND_NEEDED', message);
  }
  notes.add(pointer, 'NO_ROLLBACK', `Write the \`rollback\` of \`${command}\`, or \`null\`.`);
  const hasTime = numberIn(value, 'TimeoutSeconds') !== undefined;
  if (!hasTime) {
    notes.add(
      pointer,
      'TIMEOUT_CHANGED',
      'The source sets no timeout. In Backstep it is 300 seconds.',
    );
  }
  for (const member of ['HeartbeatSeconds', 'Credentials', 'TimeoutSecondsPath']) {
    if (memberOf(value, member) === undefined) continue;
    notes.add(below(pointer, member), 'NOT_CARRIED', `\`${member}\` has no counterpart.`);
  }
}

/** A wait for a duration or a moment. */
export function waitStep({ pointer, value }: State, name: string, sight: Sight): Step {
  const at = (member: string): string => below(pointer, member);
  const read = (member: string): JsonValue | undefined => {
    const path = textIn(value, `${member}Path`);
    const source = path === undefined ? memberOf(value, member) : { 'v.$': path };
    if (source === undefined) return undefined;
    const data = readTemplate({ value: source, pointer: at(member) }, sight);
    const found = path === undefined ? data : select(data, ['v']);
    return found.kind === 'code' ? writeCode(found.code, sight, at(member)) : codeless(found);
  };
  const seconds = read('Seconds');
  if (seconds !== undefined) return { name, wait: { for: seconds } };
  const until = read('Timestamp');
  if (until !== undefined) return { name, wait: { until } };
  return sight.scope.target.notes.refuse(
    pointer,
    'NOT_THE_FORMAT',
    'A wait must have `Seconds` or a time.',
  );
}

function codeless(data: Data): JsonValue {
  return data.kind === 'value' ? data.value : null;
}
