import { MODULE_METADATA } from '@nestjs/common/constants.js';
import type { DynamicModule, Type } from '@nestjs/common';
import type { JsonObject } from '#core';
import type { CommandCatalogue } from '#ports';
import { type CommandExtras, EXECUTOR_COMMANDS } from './command-metadata.js';
import { schemaOfParameters } from './parameters-schema.js';

/** A Nest module, or an executor itself. */
type Declaring = Type | DynamicModule;

/**
 * The commands of executors and of Nest modules with executors, and the schemas of their
 * parameters, by what their decorators say: nothing is started. Modules that a module imports
 * through a function or a promise are left out. Of a module of Backstep with several declarations,
 * the first one that has a command counts.
 */
export function declaredCommands(
  declaring: readonly Declaring[],
): Pick<CommandCatalogue, 'commands' | 'modules' | 'parametersOf'> {
  const served = new Map<string, Map<string, JsonObject | null>>();
  for (const { command, module, parameters } of executorsOf(declaring).flatMap(commandsOf)) {
    const commands = served.get(module) ?? new Map<string, JsonObject | null>();
    served.set(module, commands);
    if (commands.has(command)) continue;
    commands.set(command, parameters === undefined ? null : schemaOfParameters(parameters));
  }
  return {
    modules: () => [...served.keys()],
    commands: (module) => [...(served.get(module)?.keys() ?? [])],
    parametersOf: (module, command) => served.get(module)?.get(command) ?? null,
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
