import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { TransformationType } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import {
  isCondition,
  isDemanding,
  isOptionalRule,
  orNull,
  type Rule,
  rulesByMember,
  type Schema,
  schemaOfRules,
} from '#class-schema';
import type { JsonObject } from '#core';
import type { CommandCatalogue } from '#ports';
import { transformations } from '#seams/class-transformer';
import {
  type CommandExtras,
  EXECUTOR_COMMANDS,
  type OutputClass,
  type ParametersClass,
} from './command-metadata.js';
import { declaredNames } from './parameters.pipe.js';

const DEPTH_MAX = 8;

/** Values of these are made of others, which a schema cannot tell. */
const BUILT_IN: readonly unknown[] = [Date, Number, String, Boolean, Map, Set, Buffer];

/** A Nest module, or an executor itself. */
type Declaring = Type | DynamicModule;

/**
 * The JSON Schema of a parameters class. It refuses nothing that the class takes: it omits what a
 * schema cannot express (custom rules, conditions, transformations, other names in the bag). Null
 * where the class has no rules, so that anything is taken.
 */
export function schemaOfParameters(type: ParametersClass): JsonObject | null {
  return objectSchema(type, 0);
}

/** The schemas of what a command takes and gives; null: it does not say. */
export function schemasOfCommand({
  output,
  parameters,
}: Pick<CommandExtras, 'output' | 'parameters'>): CommandSchemas {
  return {
    parameters: parameters === undefined ? null : schemaOfParameters(parameters),
    output: output === undefined ? null : schemaOfOutput(output),
  };
}

interface CommandSchemas {
  readonly parameters: JsonObject | null;
  readonly output: JsonObject | null;
}

/** The same of an output class, which declares all members of the output. */
function schemaOfOutput(type: OutputClass): JsonObject | null {
  const schema = objectSchema(type, 0);
  if (schema === null) return null;
  const declared = declaredNames(type).map((name): [string, Schema] => [name, {}]);
  const properties = { ...Object.fromEntries(declared), ...(schema['properties'] as Schema) };
  return { ...schema, properties, additionalProperties: false };
}

function objectSchema(type: ParametersClass, depth: number): Schema | null {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  const picksMembers = transformations.getStrategy(type) !== 'none';
  if (rules.length === 0 || picksMembers || depth > DEPTH_MAX) return null;
  const blank = blankOf(type);
  const properties: Schema = {};
  const required: string[] = [];
  for (const [name, own] of rulesByMember(rules)) {
    if (isReshaped(type, name)) continue;
    const isOptional = own.some(isOptionalRule);
    const isConditional = own.some(isCondition);
    const schema = isConditional ? {} : memberSchema(type, { name, rules: own, depth });
    properties[name] = isOptional ? orNull(schema) : schema;
    const isDemanded = !isOptional && !isConditional && own.some(isDemanding);
    if (isDemanded && blank !== null && blank[name] === undefined) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** A new instance: members that have a value by themselves need none. Null: there is none. */
function blankOf(type: ParametersClass): Readonly<Record<string, unknown>> | null {
  try {
    return new type() as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

interface Member {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly depth: number;
}

function memberSchema(type: ParametersClass, { depth, name, rules }: Member): Schema {
  const own = schemaOfRules(rules);
  if (!rules.some((rule) => rule.type === 'nestedValidation')) return own;
  const nested = innerType(type, name);
  const inner = typeof nested === 'function' ? objectSchema(nested as never, depth + 1) : null;
  if (inner === null) return own;
  // A nested rule takes an object, a list of objects or of such lists, and nothing at all.
  const items = { ...inner, type: ['object', 'array'] };
  return { ...inner, ...own, type: ['object', 'array', 'null'], items };
}

/** Whether the rules see another value than the bag has, or the bag has it under another name. */
function isReshaped(type: ParametersClass, name: string): boolean {
  const way = TransformationType.PLAIN_TO_CLASS;
  if (transformations.findTransformMetadatas(type, name, way).length > 0) return true;
  const exposed = transformations.findExposeMetadata(type, name)?.options ?? {};
  const isExcluded = transformations.findExcludeMetadata(type, name) !== undefined;
  const inner = innerType(type, name);
  return (
    Object.keys(exposed).length > 0 || isExcluded || inner === null || BUILT_IN.includes(inner)
  );
}

/** The class whose instance a member becomes; undefined: none; null: it cannot be told. */
function innerType(type: ParametersClass, name: string): unknown {
  const found = transformations.findTypeMetadata(type, name);
  if (found === undefined) return undefined;
  if (found.options?.discriminator !== undefined) return null;
  try {
    return found.typeFunction() ?? null;
  } catch {
    return null;
  }
}

/**
 * The commands of executors and of Nest modules with executors, and the schemas of what they take
 * and give, by what their decorators say: nothing is started. Modules that a module imports
 * through a function or a promise are left out. Of a module of Backstep with several declarations,
 * the first one that has a command counts.
 */
export function declaredCommands(
  declaring: readonly Declaring[],
): Pick<CommandCatalogue, 'commands' | 'modules' | 'outputOf' | 'parametersOf'> {
  const served = new Map<string, Map<string, CommandSchemas>>();
  for (const { command, module, ...types } of executorsOf(declaring).flatMap(commandsOf)) {
    const commands = served.get(module) ?? new Map<string, CommandSchemas>();
    served.set(module, commands);
    if (!commands.has(command)) commands.set(command, schemasOfCommand(types));
  }
  return {
    modules: () => [...served.keys()],
    commands: (module) => [...(served.get(module)?.keys() ?? [])],
    parametersOf: (module, command) => served.get(module)?.get(command)?.parameters ?? null,
    outputOf: (module, command) => served.get(module)?.get(command)?.output ?? null,
  };
}

function commandsOf(executor: object): readonly CommandExtras[] {
  return (Reflect.getOwnMetadata(EXECUTOR_COMMANDS, executor) ?? []) as readonly CommandExtras[];
}

/** Each once: a set grows while it is gone through. */
function executorsOf(declaring: readonly Declaring[]): readonly object[] {
  const all = new Set<unknown>(declaring);
  for (const one of all) for (const more of partsOf(one)) all.add(more);
  return [...all].filter((one) => typeof one === 'function');
}

/** The controllers and imported modules of a module; none of anything else. */
function partsOf(one: unknown): readonly unknown[] {
  if (typeof one === 'function') {
    return [MODULE_METADATA.CONTROLLERS, MODULE_METADATA.IMPORTS].flatMap((key) => {
      return (Reflect.getMetadata(key, one) ?? []) as readonly unknown[];
    });
  }
  if (typeof one !== 'object' || one === null || !('module' in one)) return [];
  const { controllers = [], imports = [], module } = one as DynamicModule;
  return [module, ...controllers, ...imports];
}
