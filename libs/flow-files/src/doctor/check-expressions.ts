import { type JsonObject, type JsonValue, type StepPlan, templatesOf } from '#core';
import { claimsReference, isReference, REFERENCE_FORM } from '#core/secrets';
import {
  type ExpressionFault,
  expressionsIn,
  type NameUse,
  type ParsedExpression,
  parseExpression,
  type PickedPart,
  type StepUse,
} from '#expressions';
import { clip, isObject } from '../read-json.js';
import { joinPointer } from '../json-pointer.js';
import { EXPRESSIONS_MAX } from '../language/limits.js';
import { nearNameHint, quotedNameHint } from '../near-name-hint.js';
import type { Finding, Words } from '../problem.js';
import type { Examination } from './examination.js';
import { bodyOf, type Holder, itemOf, memberOf } from './list-view.js';
import { meantBy } from './required-parameters.js';
import { outwards, ParameterSight, standingOf, type Viewpoint } from './sight.js';
import { schemasInPlace } from '../declared-members.js';

/** A part of a step in which expressions may stand. */
interface TemplatePlace {
  /** From the step. */
  readonly path: readonly (string | number)[];
  readonly template: JsonValue;
  /** Where its expressions look from; `round`: the end of one, `item`: what a child sees. */
  readonly from: 'before' | 'behind' | 'round' | 'item';
}

/** Members of steps whose values are handed on as they are. */
const HANDED_ON: ReadonlySet<unknown> = new Set(['parameters', 'set', 'output']);

/** Each different expression of a flow, read, by its text. */
type ReadExpressions = ReadonlyMap<string, ParsedExpression | ExpressionFault>;

/**
 * Reads every expression of a flow: whether it can be read, and whether its names can be known.
 * Gives the expressions, for checks that look at more of them.
 */
export function checkExpressions(examination: Examination): ReadExpressions {
  const reader = new ExpressionReader(examination);
  const { definition, lists, origins, pointer } = examination;
  reader.refuseIn(definition.constants ?? null, joinPointer(pointer, 'constants'));
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      for (const { from, path, template } of templatesIn(step)) {
        const view = viewFor(from, step, { list, position });
        reader.readIn(template, memberOf(step, origins, ...path), view);
      }
    }
  }
  const [list] = lists;
  if (list === undefined) return reader.parsed;
  const end: Viewpoint = { list, position: 0, sees: 'all' };
  const beginning: Viewpoint = { list, position: 0, sees: 'nothing' };
  const names = definition.locks?.map(({ name }) => ({ name })) ?? null;
  reader.readIn(names, joinPointer(pointer, 'locks'), beginning);
  reader.readIn(definition.labels ?? null, joinPointer(pointer, 'labels'), beginning);
  reader.readIn(definition.output ?? null, joinPointer(pointer, 'output'), end);
  return reader.parsed;
}

function viewFor(from: TemplatePlace['from'], step: StepPlan, holder: Holder): Viewpoint {
  if (from === 'round') return { list: bodyOf(step, holder), position: 0, sees: 'all' };
  if (from === 'item') return { list: itemOf(step, holder), position: 0, sees: 'all' };
  return { ...holder, sees: from === 'before' ? 'before' : 'itself' };
}

/** Reads the expressions of one flow. */
class ExpressionReader {
  readonly #examination: Examination;
  readonly #sight: ParameterSight;
  /** Flows say the same in many places. */
  readonly parsed = new Map<string, ParsedExpression | ExpressionFault>();
  #isTooMany = false;

  constructor(examination: Examination) {
    this.#examination = examination;
    this.#sight = new ParameterSight(examination.definition, examination.commands);
  }

  /** Says so where an expression stands in a template that is not worked out. */
  refuseIn(template: JsonValue, at: string): void {
    for (const { pointer } of expressionsIn(template)) {
      const message = 'The constants of a flow cannot be expressions.';
      const hint = 'Write the value itself, or put the expression into a step with `set`.';
      const code = 'EXPRESSION_NOT_ALLOWED';
      this.#examination.problems.add({ pointer: at + pointer, code, message, hint });
    }
  }

  readIn(template: JsonValue, at: string, view: Viewpoint): void {
    for (const { pointer, text } of expressionsIn(template)) this.#read(text, at + pointer, view);
  }

  #read(text: string, pointer: string, view: Viewpoint): void {
    const { problems, warnings } = this.#examination;
    const known = this.parsed.get(text);
    if (known === undefined && this.parsed.size === EXPRESSIONS_MAX) {
      if (!this.#isTooMany) problems.add(tooMany(this.#examination.pointer));
      this.#isTooMany = true;
      return;
    }
    const parsed = known ?? parseExpression(text);
    this.parsed.set(text, parsed);
    if (!('names' in parsed)) return problems.add(faulty(parsed, pointer));
    const { input, parameters, states, steps } = parsed.names;
    for (const use of steps.named) {
      this.#checkStep(use, pointer, { view, isState: false });
      this.#checkMember(use, pointer, view);
    }
    for (const use of states.named) this.#checkStep(use, pointer, { view, isState: true });
    for (const { name, position } of parameters.named) {
      if (this.#sight.isLeftOut(name, view)) {
        warnings.add({ pointer, index: position, ...leftOut(name) });
        continue;
      }
      if (this.#sight.canBeRead(name, view)) continue;
      const quoted = quotedNameHint('', name, this.#sight.namesAt(view));
      const meant = meantBy(name, view, this.#sight);
      const near = meant === undefined ? undefined : `Did you mean \`${clip(meant)}\`?`;
      const words = unknown(name, 'Nothing before this place gives', quoted ?? near);
      warnings.add({ pointer, index: position, ...words });
    }
    for (const { name, position } of input.named) {
      if (this.#sight.canBeSent(name)) continue;
      const hint = quotedNameHint('$input.', name, this.#sight.sendable());
      warnings.add({ pointer, index: position, ...unknown(name, 'No request can have', hint) });
    }
  }

  #checkStep(
    { name, position: index }: NameUse,
    pointer: string,
    { isState, view }: { readonly view: Viewpoint; readonly isState: boolean },
  ): void {
    const standing = standingOf(name, view);
    const { around, problems, warnings } = this.#examination;
    if (standing === 'before' || (standing === 'none' && around.has(name))) return;
    if (standing === 'beside') {
      // Whether it has run is what `$state` is asked for.
      if (!isState) warnings.add({ pointer, index, ...unordered(name) });
      return;
    }
    problems.add({ pointer, index, ...notBefore(name, standing, view) });
  }

  /** Warns of a member that the output of a step cannot have. */
  #checkMember({ member, name }: StepUse, pointer: string, from: Viewpoint): void {
    const around = [...outwards(from)].find(({ list }) => list.positions.has(name));
    const step = around?.list.steps[around.list.positions.get(name) ?? -1];
    const names = this.#sight.returnedBy(step);
    if (member === undefined || names === null || names.has(member.name)) return;
    const { command = '', module = '' } = step?.normal ?? {};
    const message =
      `\`${clip(module)}.${clip(command)}\`, the command of step \`${clip(name)}\`, announces ` +
      `that its output has no \`${clip(member.name)}\`.`;
    const hint =
      quotedNameHint(`$steps.${name}.`, member.name, [...names]) ??
      nearNameHint(member.name, [...names]);
    const words = { code: 'UNKNOWN_OUTPUT', message, hint } as const;
    this.#examination.warnings.add({ pointer, index: member.position, ...words });
  }
}

function tooMany(pointer: string): Finding {
  const message = `The flow has more than ${EXPRESSIONS_MAX} different expressions.`;
  const hint = 'Work values out once, by a step with `set`, or split the flow.';
  return { pointer, code: 'TOO_MANY_EXPRESSIONS', message, hint };
}

function faulty({ message, position }: ExpressionFault, pointer: string): Finding {
  const words = `The expression cannot be read: ${message}.`;
  const hint = 'docs/flow-language.md lists what an expression may use.';
  return { pointer, index: position, code: 'WRONG_EXPRESSION', message: words, hint };
}

const DECLARE = 'Declare it in `input`, add it to `constants`, or compare the spelling.';

function unknown(name: string, words: string, hint = DECLARE): Words {
  const message = `${words} a parameter \`${clip(name)}\`.`;
  return { code: 'UNKNOWN_PARAMETER', message, hint };
}

function leftOut(name: string): Words {
  const message = `A child task gets its item, and not \`${clip(name)}\`, the list that \`in\` names.`;
  const hint = 'Put what it needs of the list into another parameter before, by a step with `set`.';
  return { code: 'UNKNOWN_PARAMETER', message, hint };
}

function unordered(name: string): Words {
  const message = `Step \`${clip(name)}\` may not have run when this is evaluated.`;
  const hint = `Add \`${clip(name)}\` to \`needs\` of this step.`;
  return { code: 'UNORDERED_STEP', message, hint };
}

function notBefore(name: string, standing: 'after' | 'none', { list }: Viewpoint): Words {
  const code = 'STEP_NOT_BEFORE';
  if (standing === 'after') {
    const message = `Step \`${clip(name)}\` cannot have run before this is evaluated.`;
    return { code, message, hint: 'Look at steps that this one needs.' };
  }
  const message = `No step that could have run before is called \`${clip(name)}\`.`;
  const known = [...list.positions.keys()];
  return {
    code,
    message,
    hint: quotedNameHint('$steps.', name, known) ?? nearNameHint(name, known),
  };
}

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

/** The names that the flow declares as lists. */
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

/** Looks whether every reference to a secret that an author wrote can be one. */
export function checkReferences({
  definition,
  lists,
  origins,
  pointer,
  problems,
}: Examination): void {
  const look = (value: JsonValue, at: string): void => {
    for (const place of wrongIn(value, at)) problems.add(wrongReference(place));
  };
  look(definition.constants ?? null, joinPointer(pointer, 'constants'));
  for (const { steps } of lists) {
    for (const step of steps) {
      for (const { path, template } of templatesIn(step)) {
        look(template, memberOf(step, origins, ...path));
      }
    }
  }
}

function wrongIn(value: JsonValue, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (claimsReference(value)) return isReference(value) ? [] : [at];
  const parts = Object.entries(value) as [string, JsonValue | undefined][];
  return parts.flatMap(([name, part = null]) => wrongIn(part, joinPointer(at, name)));
}

function wrongReference(pointer: string): Finding {
  const message = `A reference to a secret must be ${REFERENCE_FORM}, and stand alone.`;
  const hint = 'Write for example {"$secret": "vault:kv/db#password"}.';
  return { pointer, code: 'WRONG_REFERENCE', message, hint };
}

/** The parts of a step in which expressions may stand, without those of the steps in it. */
function* templatesIn(step: StepPlan): Generator<TemplatePlace> {
  if (step.if !== undefined) yield { path: ['if'], template: step.if, from: 'before' };
  for (const [i, { name }] of (step.locks ?? []).entries()) {
    yield { path: ['locks', i, 'name'], template: name, from: 'before' };
  }
  yield* templatesOf(step);
}
