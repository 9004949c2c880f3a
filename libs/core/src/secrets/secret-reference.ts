import type { FlowDefinition, StepPlan } from '../flow/flow.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { mapMembers } from './sealed-value.js';
import { isObject } from '../json/shape.js';
import type { Task } from '../task/task.js';
import { FlowProgram } from '../flow/program.js';

/** The one member of a reference to a secret: `{"$secret": "vault:kv/db#password"}`. */
export const REFERENCE_MEMBER = '$secret';

/** The form of what a reference says, for people. */
export const REFERENCE_FORM = '<resolver>:<path>, or <resolver>:<path>#<key>';

/** The parts of what a reference says. */
interface ReferenceParts {
  /** The name of the resolver that knows the place. */
  readonly resolver: string;
  /** Names with `/` between them, none of them empty, `.` or `..`. */
  readonly path: string;
  /** Null: there is none. */
  readonly key: string | null;
}

const LENGTH_MAX = 512;

/** No character of it means anything in an address, a folder or a list of what is allowed. */
const FORM = /^([a-z][a-z0-9-]{0,31}):([\w.@+=~:-]+(?:\/[\w.@+=~:-]+)*)(?:#([\w.@+=~:-]+))?$/;
const DOTS = /(^|\/)\.{1,2}(\/|$)/;

/** The parts of what a reference says; null: it does not have the form. */
export function referenceParts(text: string): ReferenceParts | null {
  const found = text.length > LENGTH_MAX ? null : FORM.exec(text);
  const [, resolver = '', path = '', key = null] = found ?? [];
  return found === null || DOTS.test(path) ? null : { resolver, path, key };
}

/** Whether a value says that it is a reference, in whatever form. */
export function claimsReference(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && Object.hasOwn(value, REFERENCE_MEMBER);
}

/** Whether a value is a reference, and nothing besides: it tells where a secret is kept. */
export function isReference(value: JsonValue | undefined): value is { readonly $secret: string } {
  if (!claimsReference(value) || Object.keys(value).length !== 1) return false;
  const text = value[REFERENCE_MEMBER];
  return typeof text === 'string' && referenceParts(text) !== null;
}

/** A value with something else in the place of every reference; the same object without any. */
export function mapReferences(
  value: JsonValue | undefined,
  change: (text: string) => JsonValue | undefined,
): JsonValue {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) {
    const next = value.map((each: JsonValue) => mapReferences(each, change));
    return next.some((each, at) => each !== value[at]) ? next : value;
  }
  if (isReference(value)) return change(value[REFERENCE_MEMBER]) ?? value;
  return mapMembers(value as JsonObject, (member) => mapReferences(member, change));
}

/** The references in a value, each once. */
export function referencesIn(value: JsonValue | undefined): readonly string[] {
  const found = new Set<string>();
  mapReferences(value, (text) => {
    found.add(text);
    return undefined;
  });
  return [...found];
}

/** The references that the author of a flow wrote into it. */
export function referencesOf({
  constants,
  steps,
}: Pick<FlowDefinition, 'steps'> & { readonly constants?: JsonObject | null }): readonly string[] {
  const ofSteps = FlowProgram.of(steps).kept(referencesInSteps);
  if (!constants) return ofSteps;
  const last = FlowProgram.of(steps).kept(noConstants);
  if (last.constants !== constants) {
    last.constants = constants;
    last.references = [...ofSteps, ...referencesIn(constants)];
  }
  return last.references;
}

function referencesInSteps(steps: readonly StepPlan[]): readonly string[] {
  return referencesIn(steps as unknown as JsonValue);
}

/** The steps of a flow version go with one object of constants. */
function noConstants(): { constants: JsonObject | null; references: readonly string[] } {
  return { constants: null, references: [] };
}

/**
 * The references that a task may have resolved: those it was given, those that a person gave later,
 * and those of its flow. The output of a command is data, whatever it looks like.
 */
export function referencesKnownTo({ edits, plan }: Pick<Task, 'edits' | 'plan'>): Set<string> {
  const edited = edits.flatMap(({ values }) => referencesIn(values));
  return new Set([...(plan.references ?? []), ...edited, ...referencesOf(plan)]);
}
