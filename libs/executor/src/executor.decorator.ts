import { Controller } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import {
  checkName,
  COMMAND_NAME,
  COMMAND_OUTPUT,
  COMMAND_PARAMETERS,
  COMMAND_SECRETS,
  type CommandExtras,
  copyMetadata,
  EXECUTOR_COMMANDS,
  EXECUTOR_TRANSPORT,
  type OutputClass,
  type ParametersClass,
} from './command-metadata.js';
import { questionOf, serveSideMethod } from './side-method.js';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Makes a class the executor of a module: its methods with `@Command` run the module's commands.
 * The class is a Nest controller (list it under `controllers`): what its constructor asks for is
 * injected, and guards, pipes, interceptors and exception filters apply to its methods. Several
 * classes may serve one module.
 */
export function Executor(module: string): ClassDecorator {
  checkName('module', module);
  return (target) => {
    Controller()(target);
    const prototype = target.prototype as Record<string, Method>;
    const commands: CommandExtras[] = [];
    for (const key of new MetadataScanner().getAllMethodNames(prototype)) {
      const named = prototype[key];
      const question = named === undefined ? undefined : questionOf(named);
      if (question !== undefined) {
        const extras = { module, question, sideMethod: `${target.name}.${key}` };
        serveSideMethod(extras, [prototype, key, ownMethod(prototype, key)]);
        continue;
      }
      const command = commandName(prototype[key]);
      if (command === undefined) continue;
      const parameters = parametersOf(prototype[key]);
      const method = `${target.name}.${key}`;
      const output = outputOf(prototype[key]);
      const secrets = secretsOf(prototype[key]);
      const extras: CommandExtras = { module, command, method, parameters, output, secrets };
      const pattern = MessagePattern(`${module}.${command}`, EXECUTOR_TRANSPORT, { ...extras });
      pattern(prototype, key, ownMethod(prototype, key));
      commands.push(extras);
    }
    Reflect.defineMetadata(EXECUTOR_COMMANDS, commands, target);
  };
}

function commandName(method: Method | undefined): string | undefined {
  if (method === undefined) return undefined;
  return Reflect.getMetadata(COMMAND_NAME, method) as string | undefined;
}

function parametersOf(method: Method | undefined): ParametersClass | undefined {
  if (method === undefined) return undefined;
  return Reflect.getMetadata(COMMAND_PARAMETERS, method) as ParametersClass | undefined;
}

function outputOf(method: Method | undefined): OutputClass | undefined {
  if (method === undefined) return undefined;
  return Reflect.getMetadata(COMMAND_OUTPUT, method) as OutputClass | undefined;
}

function secretsOf(method: Method | undefined): readonly string[] | undefined {
  if (method === undefined) return undefined;
  return Reflect.getMetadata(COMMAND_SECRETS, method) as readonly string[] | undefined;
}

/** An inherited command gets a function of its own: the one of the base class keeps its module. */
function ownMethod(prototype: Record<string, Method>, key: string): PropertyDescriptor {
  const own = Object.getOwnPropertyDescriptor(prototype, key);
  if (own !== undefined) return own;
  const inherited = prototype[key] as Method;
  const method: Method = function (...args) {
    return inherited.apply(this, args);
  };
  copyMetadata(inherited, method);
  const descriptor = { value: method, configurable: true, writable: true, enumerable: false };
  Object.defineProperty(prototype, key, descriptor);
  return descriptor;
}
