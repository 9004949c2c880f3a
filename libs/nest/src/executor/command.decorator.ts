import { Ctx, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import type { Observable } from 'rxjs';
import type { CommandContext } from './command-context.js';
import {
  checkName,
  COMMAND_NAME,
  COMMAND_PARAMETERS,
  copyMetadata,
  type ParametersClass,
} from './command-metadata.js';
import { isParametersClass, ParametersPipe } from './parameters.pipe.js';
import { tellsItsWork } from './work-behind.js';

/**
 * What a command may return: a JSON object that is merged into the parameters of later steps,
 * nothing, `lookAgain(...)`, or `completeLater(...)`.
 */
export type CommandResult = object | null | undefined | void;

/** A method that `@Command` fits on. */
export type CommandMethod = (
  parameters: never,
  context: CommandContext,
) => CommandResult | Promise<CommandResult> | Observable<CommandResult>;

/**
 * Makes a method the command of that name in its executor's module. It is called with the task's
 * parameters and a `CommandContext`. A first parameter whose type is a class is checked against
 * the class-validator decorators of that class, and holds its members only; an interface or
 * `Record` gets all parameters as they are.
 */
export function Command(name: string) {
  checkName('command', name);
  return <T extends CommandMethod>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    const method = descriptor.value;
    if (method === undefined) return;
    descriptor.value = tellsItsWork(method) as T;
    copyMetadata(method, descriptor.value);
    Reflect.defineMetadata(COMMAND_NAME, name, descriptor.value);

    const taken = decoratedIndexes(target, key);
    if (!taken.has(0)) {
      const type = parametersClass(target, key);
      const pipes = type === undefined ? [] : [new ParametersPipe(type)];
      Payload(...pipes)(target, key, 0);
      Reflect.defineMetadata(COMMAND_PARAMETERS, type, descriptor.value);
    }
    if (!taken.has(1)) Ctx()(target, key, 1);
  };
}

function parametersClass(target: object, key: string): ParametersClass | undefined {
  const types = Reflect.getMetadata('design:paramtypes', target, key) as unknown[] | undefined;
  const type = types?.[0];
  return isParametersClass(type) ? type : undefined;
}

/** Parameters that the author decorated: these are theirs. */
function decoratedIndexes(target: object, key: string): Set<number> {
  const found: unknown = Reflect.getMetadata(PARAM_ARGS_METADATA, target.constructor, key);
  const decorated = (found ?? {}) as Record<string, { readonly index: number }>;
  return new Set(Object.values(decorated).map(({ index }) => index));
}
