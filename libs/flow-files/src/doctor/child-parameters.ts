import type { JsonObject, JsonValue, StepPlan } from '#core';
import { expressionsIn } from '#expressions';
import { declaredMembers, isClosed } from '../declared-members.js';
import { deprecatedMembers } from '../deprecated-members.js';
import { type InputProblem, inputCheck } from '../input-schema.js';
import { splitPointer } from '../json-pointer.js';
import { measure } from '../value-size.js';

/** Something that the `input` of a child task's flow refuses. */
interface GivenFault {
  readonly message: string;
  /** From the step to what is at fault, or to the object that lacks something. */
  readonly path: readonly string[];
}

/** Most steps that one check may take, about 40 ms of them: one that takes more is left out. */
const WORK_MAX = 4_000_000;

/** More of one step than a person reads. */
const FAULTS_MAX = 10;

/** Of a schema that says what each member is by itself, and nothing of several together. */
const SIMPLE: ReadonlySet<string> = new Set(
  (
    '$schema $id $defs $comment title description default examples type properties required ' +
    'additionalProperties'
  ).split(' '),
);

/** Parameters of child tasks: the known values, and the names of those that are computed. */
interface Given {
  readonly values: JsonObject;
  readonly open: readonly string[];
}

/** Faults for which an `input` is certain to refuse the parameters a step gives child tasks. */
export function faultsOfGiven(step: StepPlan, input: JsonObject): readonly GivenFault[] {
  const given = givenBy(step);
  if (given === null) return [];
  const isSimple = Object.keys(input).every((name) => SIMPLE.has(name));
  if (given.open.length > 0 && !isSimple) return [];
  const check = inputCheck(input);
  // A member of which only the name is known stands there as null.
  const values = { ...Object.fromEntries(given.open.map((name) => [name, null])), ...given.values };
  if (measure(values, WORK_MAX) * check.work > WORK_MAX) return [];
  const found = check.findProblems(values).filter((problem) => isCertain(problem, given, input));
  return found.slice(0, FAULTS_MAX).map(({ message, pointer }) => {
    return { message, path: pathTo(step, splitPointer(pointer)) };
  });
}

/** A parameter that a step gives its child tasks although their flow calls it deprecated. */
interface DeprecatedGiven {
  readonly member: string;
  /** From the step to the parameter, or to what names it. */
  readonly path: readonly string[];
}

/** Parameters of child tasks that the `input` of their flow calls deprecated. */
export function deprecatedGiven(step: StepPlan, input: JsonObject): readonly DeprecatedGiven[] {
  const { open = [], values = {} } = givenBy(step) ?? {};
  const gone = deprecatedMembers(input);
  const found = [...Object.keys(values), ...open].filter((name) => gone.has(name));
  return found.map((member) => ({ member, path: pathTo(step, [member]) }));
}

/** Of what is not known, only that a closed `input` does not have the name. */
function isCertain({ pointer }: InputProblem, { open }: Given, input: JsonObject): boolean {
  const [name = ''] = splitPointer(pointer);
  if (!open.includes(name)) return true;
  return isClosed(input) && !declaredMembers(input).has(name);
}

/** Null: an expression hands on whatever there is. */
function givenBy({ flow, foreach }: StepPlan): Given | null {
  const parameters = (flow ?? foreach)?.parameters ?? {};
  if (typeof parameters === 'string') return null;
  const all = Object.entries(parameters as JsonObject);
  const isOpen = (value: JsonValue = null): boolean => expressionsIn(value).length > 0;
  const open = all.filter(([, value]) => isOpen(value)).map(([name]) => name);
  const values = Object.fromEntries(all.filter(([, value]) => !isOpen(value)));
  const item = foreach === undefined || Object.hasOwn(parameters as JsonObject, foreach.as);
  return { values, open: item ? open : [...open, foreach.as] };
}

/** As much of a path into the parameters as is there. */
function pathTo({ flow, foreach }: StepPlan, path: readonly string[]): readonly string[] {
  const member = flow === undefined ? 'foreach' : 'flow';
  let at: JsonValue = (flow ?? foreach)?.parameters ?? null;
  if (at === null) return [member];
  const found = [member, 'parameters'];
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) break;
    found.push(name);
    at = (at as JsonObject)[name] ?? null;
  }
  return found;
}
