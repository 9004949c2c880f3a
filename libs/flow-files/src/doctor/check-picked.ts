import type { JsonObject, JsonValue } from '#core';
import { expressionsIn, type PickedPart } from '#expressions';
import { schemasInPlace } from '../declared-members.js';
import { clip, isObject } from '../json-document.js';
import { joinPointer } from '../json-pointer.js';
import type { Examination } from './examination.js';
import type { ReadExpressions } from './expressions.js';
import { memberOf } from './list-view.js';
import { templatesIn } from './templates.js';

/** Members of steps whose values are handed on as they are. */
const HANDED_ON: ReadonlySet<unknown> = new Set(['parameters', 'set', 'output']);

/** Says where a value that is handed on changes its type with the number of entries found. */
export function checkPicked(examination: Examination, read: ReadExpressions): void {
  const { definition, lists, origins, pointer } = examination;
  const known = new KnownLists(examination);
  const look = (template: JsonValue, at: string): void => {
    for (const { pointer: inner, text } of expressionsIn(template)) {
      const parsed = read.get(text);
      if (parsed === undefined || !('names' in parsed)) continue;
      const part = parsed.picked().find((each) => known.picks(each));
      if (part !== undefined) tell(examination, at + inner, parsed.source);
    }
  };
  for (const step of lists.flatMap((list) => list.steps)) {
    for (const { path, template } of templatesIn(step)) {
      if (HANDED_ON.has(path.at(-1))) look(template, memberOf(step, origins, ...path));
    }
  }
  look(definition.output ?? null, joinPointer(pointer, 'output'));
}

function tell({ warnings }: Examination, pointer: string, source: string): void {
  const code = clip(source.trim());
  const message = 'The value is a list, a single entry or nothing, by how many entries are found.';
  const hint = `Write \`[${code}]\` for a list of any size, or \`(${code})[0]\` for the first entry.`;
  warnings.add({ pointer, code: 'VARYING_RESULT', message, hint });
}

/** The lists of which a flow says that they are ones. */
class KnownLists {
  readonly #input: readonly JsonObject[];
  readonly #constants: JsonValue;
  readonly #foreach: ReadonlySet<string>;

  constructor({ definition, lists }: Examination) {
    const { constants = {}, input } = definition;
    const steps = lists
      .flatMap((list) => list.steps)
      .filter(({ foreach }) => foreach !== undefined);
    this.#input = input === null ? [] : [input];
    this.#constants = constants as JsonValue;
    this.#foreach = new Set(steps.map(({ name }) => name));
  }

  picks({ passed }: PickedPart): boolean {
    return passed === null || passed.some((names) => this.#isList(names));
  }

  #isList(names: readonly string[]): boolean {
    const [first, ...rest] = names;
    // The results of a `foreach`, under the name of the step.
    if (names.at(-1) === 'results' && this.#foreach.has(names.at(-2) ?? '')) return true;
    if (first === '$input') return isListIn(this.#input, rest);
    const constant = names.reduce<JsonValue | undefined>(memberIn, this.#constants);
    return Array.isArray(constant) || isListIn(this.#input, names);
  }
}

function memberIn(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isListIn(schemas: readonly JsonObject[], names: readonly string[]): boolean {
  let found = [...schemas];
  for (const name of names) {
    found = found
      .flatMap((schema) => [...schemasInPlace(schema)])
      .map(({ properties }) => memberIn(properties, name))
      .filter(isObject);
  }
  return found.some(({ type }) => type === 'array');
}
