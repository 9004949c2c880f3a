import type { JsonValue } from '#core';
import { codeOf as errorCode } from '../names.js';
import { below, memberOf, objectOf, textIn } from '../source.js';
import type { Step } from '../step.js';
import { coded, type Data, select } from './data.js';
import { argumentsOf } from './document.js';
import type { State } from './state-graph.js';
import type { Made } from './task-step.js';
import { codeOfError } from './trying.js';
import { readReference, readText, readTemplate, type Sight, writeData } from './values.js';

/** A failure with a code. */
export function failStep({ pointer, value }: State, name: string, sight: Sight): Step {
  const { notes } = sight.scope.target;
  const error = textIn(value, 'Error');
  if (error === undefined || error.startsWith('{%')) {
    const message = 'The code of a failure must be a constant. It is `FAILED` in the flow.';
    notes.add(pointer, 'ERROR_CODE', message);
  }
  const code = error === undefined || error.startsWith('{%') ? 'FAILED' : codeOfError(error);
  if (error !== undefined && code !== error && code !== 'FAILED') {
    notes.add(
      below(pointer, 'Error'),
      'ERROR_CODE',
      `The failure has the code \`${code}\` in the flow.`,
    );
  }
  const path = textIn(value, 'CausePath');
  const cause = textIn(value, 'Cause') ?? error ?? errorCode(name);
  const data =
    path === undefined
      ? readMessage(cause, sight, below(pointer, 'Cause'))
      : readReference(path, sight, below(pointer, 'CausePath'));
  return { name, fail: { code, message: writeData(data, sight, pointer) } };
}

function readMessage(text: string, sight: Sight, pointer: string): Data {
  if (sight.isJsonata) return readText(text, sight, pointer);
  return readTemplate({ value: text, pointer }, sight);
}

/** The step of a pass state: a `set`, whose values other steps read by its name. */
export function passStep(state: State, name: string, sight: Sight): Made {
  const { pointer, value } = state;
  const result = memberOf(value, 'Result');
  const given = argumentsOf(state, { ...sight, isJsonata: false });
  const output = coded(`$steps`);
  const nothing: Step = { name, set: { [name]: true } };
  if (sight.isJsonata) return { step: nothing, result: sight.known.data };
  const data: Data | null =
    result === undefined
      ? given.value === undefined
        ? null
        : readTemplate(given, sight)
      : constant(result);
  if (data === null) return { step: nothing, result: sight.known.data };
  const whole = select(output, [name]);
  const isObject = data.kind === 'object' && data.base === null && data.members.size > 0;
  if (!isObject) {
    const set = { [name]: writeData(data, sight, pointer) };
    return { step: { name, set }, result: select(whole, [name]) };
  }
  const set = objectOf(
    [...data.members].map(([key, each]): [string, JsonValue] => [
      key,
      writeData(each, sight, pointer),
    ]),
  );
  return { step: { name, set }, result: whole };
}

/** A constant: an object as its members, so that each may be named. */
function constant(value: JsonValue): Data {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'value', value };
  }
  const members = Object.entries(value).map(([name, each]): [string, Data] => {
    return [name, { kind: 'value', value: each ?? null }];
  });
  return { kind: 'object', base: null, members: new Map(members) };
}
