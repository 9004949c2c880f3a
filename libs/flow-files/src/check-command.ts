import type { Action, JsonObject, JsonValue } from '#core';
import { referencesIn } from '#core/secrets';
import { isExpression } from '#expressions';
import { listsIn } from '#kinds';
import { OncePerSchema } from './announced-schemas.js';
import type { Half } from './build-action.js';
import { DEPRECATED_HINT, deprecatedMembers, requiredIn } from './declared-members.js';
import { sameNames, type StepsPlace } from './flow-steps.js';
import { clip, isObject } from './read-json.js';
import { joinPointer } from './json-pointer.js';
import type { KnownCommands } from './known-commands.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding } from './problem.js';
import { InputCheck, measure } from './input-schema.js';

/** Most steps that the constants of one action are checked in: gateways do it between requests. */
const WORK_MAX = 1_000_000;

/** Compiled checks of constants: other members come from elsewhere. */
const checks = new OncePerSchema((schema) => {
  const { required: _, ...rest } = schema;
  return new InputCheck({ ...rest, additionalProperties: true });
});

/** Findings about an action, by the executors that are known. Pointers are into the action. */
interface ActionFindings {
  readonly problems: readonly Finding[];
  readonly warnings: readonly Finding[];
}

type NamedCommand = Pick<Action, 'command' | 'module' | 'parameters'>;

const NOTHING: readonly Finding[] = [];

/**
 * Checks that an executor serves the command of an action, and that the command takes its
 * constants. A module that no executor serves is a problem only where all modules are known.
 */
export function examineAction(
  action: NamedCommand,
  half: Half,
  known: KnownCommands,
): ActionFindings {
  const { command, module } = action;
  const modules = known.modules();
  const isListed = modules.includes(module) && known.commands(module).includes(command);
  const hasOthers = known.hasOthers === true || known.hasAny?.(module) === true;
  if (hasOthers && !isListed) return { problems: NOTHING, warnings: NOTHING };
  if (!modules.includes(module)) {
    const found = [unknownModule(module, modules)];
    return known.isPartial
      ? { problems: NOTHING, warnings: found }
      : { problems: found, warnings: NOTHING };
  }
  const commands = known.commands(module);
  if (!commands.includes(command)) {
    return { problems: [unknownCommand(action, commands)], warnings: NOTHING };
  }
  const schemas = known.schemas?.(module, command) ?? [];
  const warnings = deprecatedParameters(action, schemas);
  return { problems: wrongConstants(action, half, schemas), warnings };
}

/**
 * Problems of the names of steps and of their commands, in a list of any shape: it need not be
 * sound otherwise. `known`: undefined where any command may be named.
 */
export function* wrongNames(
  steps: unknown,
  { list, pointer }: Pick<StepsPlace, 'list' | 'pointer'>,
  known: KnownCommands | undefined,
): Generator<Finding> {
  if (!Array.isArray(steps)) return;
  yield* sameNames(steps, { list, pointer });
  for (const [n, step] of steps.entries()) {
    const at = joinPointer(pointer, n);
    for (const half of isObject(step) ? (['normal', 'rollback'] as const) : []) {
      const { command, module } = isObject(step[half]) ? step[half] : {};
      if (!known || typeof module !== 'string' || typeof command !== 'string') continue;
      const { problems } = examineAction({ command, module, parameters: null }, half, known);
      for (const found of problems) {
        yield { ...found, pointer: joinPointer(at, half) + found.pointer };
      }
    }
    for (const { declared, path, steps: inner } of listsIn(step)) {
      const place = { list: declared.list, pointer: path.reduce<string>(joinPointer, at) };
      yield* wrongNames(inner, place, known);
    }
  }
}

/** Parameters of an action that every build of its command calls deprecated. */
function deprecatedParameters(
  { command, module, parameters }: NamedCommand,
  schemas: readonly JsonObject[],
): readonly Finding[] {
  if (parameters === null || schemas.length === 0) return NOTHING;
  const all = schemas.map(deprecatedMembers);
  const found = Object.keys(parameters).filter((name) => all.every((names) => names.has(name)));
  return found.map((name) => {
    const message = `\`${clip(module)}.${clip(command)}\` calls \`${clip(name)}\` deprecated.`;
    const pointer = joinPointer(joinPointer('', 'parameters'), name);
    return { pointer, at: 'name', code: 'DEPRECATED_MEMBER', message, hint: DEPRECATED_HINT };
  });
}

function unknownModule(module: string, modules: readonly string[]): Finding {
  const message = `No executor serves a module \`${clip(module)}\`.`;
  const hint = nearNameHint(module, modules);
  return { pointer: joinPointer('', 'module'), code: 'UNKNOWN_MODULE', message, hint };
}

function unknownCommand({ command, module }: NamedCommand, commands: readonly string[]): Finding {
  const message = `Module \`${clip(module)}\` has no command \`${clip(command)}\`.`;
  const hint = nearNameHint(command, commands);
  return { pointer: joinPointer('', 'command'), code: 'UNKNOWN_COMMAND', message, hint };
}

/**
 * Constants of an action that its command refuses, whatever a request says: constants win over all
 * other parameters. Pointers are into the action. Each of the schemas is what one build takes; a
 * constant is wrong if all refuse it.
 */
function wrongConstants(
  { command, module, parameters }: NamedCommand,
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
  const check = checks.of(schema);
  // A schema that cannot be used, or not in time, says nothing about constants.
  const sizeMax = WORK_MAX / check.work;
  if (measure(constants, sizeMax) > sizeMax) return [];
  return check.findProblems(constants).filter(({ pointer }) => pointer !== '');
}

/**
 * The constants that are known now and that the command must take. The values of expressions and of
 * referenced secrets are not known. A rollback leaves out values that it does not need and that do
 * not fit.
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
