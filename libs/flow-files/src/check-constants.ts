import { type Action, type JsonObject, type JsonValue, referencesIn } from '#core';
import { isExpression } from '#expressions';
import type { Half } from './build-action.js';
import { requiredIn } from './declared-members.js';
import { InputCheck } from './input-schema.js';
import { clip, isObject } from './json-document.js';
import type { Finding } from './problem.js';
import { measure } from './value-size.js';

/** Most steps that the constants of one action are checked in: gateways do it between requests. */
const WORK_MAX = 1_000_000;

/** Compiled checks that are kept. */
const CHECKS_MAX = 500;

/** Compiled checks of constants, by schema and by its text: executors repeat what they tell. */
const checks = new WeakMap<JsonObject, InputCheck>();
const checksByText = new Map<string, InputCheck>();

/**
 * Constants of an action that its command refuses, whatever a request says: constants win over all
 * other parameters. Pointers are into the action. Each of the schemas is what one build takes; a
 * constant is wrong if all refuse it.
 */
export function wrongConstants(
  { command, module, parameters }: Action,
  half: Half,
  schemas: readonly JsonObject[],
): readonly Finding[] {
  if (parameters === null || schemas.length === 0) return [];
  const faults = schemas.map((schema) => faultsOf(fixedIn(parameters, schema, half), schema));
  const [first = []] = faults;
  if (faults.some((found) => found.length === 0)) return [];
  const name = `\`${clip(module)}.${clip(command)}\``;
  return first.map(({ message, pointer }) => {
    const hint = `${name} refuses the constant, so the step could never succeed.`;
    return { pointer: `/parameters${pointer}`, code: 'WRONG_CONSTANT', message, hint };
  });
}

function faultsOf(
  constants: JsonObject,
  schema: JsonObject,
): readonly { readonly pointer: string; readonly message: string }[] {
  if (Object.keys(constants).length === 0) return [];
  const check = checkOf(schema);
  // A schema that cannot be used, or not in time, says nothing about constants.
  const sizeMax = WORK_MAX / check.work;
  if (measure(constants, sizeMax) > sizeMax) return [];
  return check.findProblems(constants).filter(({ pointer }) => pointer !== '');
}

function checkOf(schema: JsonObject): InputCheck {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  let check = checksByText.get(text);
  if (check === undefined) {
    // Other members come from elsewhere.
    const { required: _, ...rest } = schema;
    check = new InputCheck({ ...rest, additionalProperties: true });
    if (checksByText.size === CHECKS_MAX) checksByText.clear();
    checksByText.set(text, check);
  }
  checks.set(schema, check);
  return check;
}

/**
 * The constants that are known now and that the command must take. Neither what an expression comes
 * to is known nor a secret that is referred to, and a rollback leaves out what it is not in need of
 * and does not fit.
 */
function fixedIn(parameters: JsonObject, schema: JsonObject, half: Half): JsonObject {
  const { properties = {} } = schema;
  const declared = isObject(properties) ? properties : {};
  const needed = new Set(requiredIn(schema));
  const fixed = Object.entries(parameters).filter(([name, value]) => {
    const isMet = Object.hasOwn(declared, name) && (half === 'normal' || needed.has(name));
    return isMet && !holdsExpression(value) && referencesIn(value).length === 0;
  });
  return Object.fromEntries(fixed);
}

function holdsExpression(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return isExpression(value);
  return Object.values(value).some(holdsExpression);
}
