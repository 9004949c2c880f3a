import { Ctx, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';
import type { Observable } from 'rxjs';
import type { CommandContext as PortContext } from '#ports';
import {
  checkName,
  COMMAND_NAME,
  COMMAND_OUTPUT,
  COMMAND_PARAMETERS,
  COMMAND_SECRETS,
  copyMetadata,
  type OutputClass,
  type ParametersClass,
} from './command-metadata.js';
import { isParametersClass, ParametersPipe } from './parameters.pipe.js';
import { tellsItsWork } from './work-behind.js';

/** Everything a command is told about the attempt it makes. */
export interface CommandContext extends PortContext {
  /**
   * Aborted when the lease is lost, a person stops the task, or the time is over. The platform's
   * own kind: `fetch`, timers, streams and most drivers take it.
   */
  readonly signal: AbortSignal;
}

/**
 * The result of a command: a JSON object that is merged into the parameters of later steps,
 * nothing, `lookAgain(...)`, or `completeLater(...)`.
 */
export type CommandResult = object | null | undefined | void;

/** A method that `@Command` fits on. */
export type CommandMethod = (
  parameters: never,
  context: CommandContext,
) => CommandResult | Promise<CommandResult> | Observable<CommandResult>;

/** Options of a command. */
export interface CommandOptions {
  /**
   * A class whose class-validator decorators the output must fit: else the step fails for good with
   * the code `INVALID_OUTPUT`, and is undone. It declares all members of the output. The output is
   * kept as the command gave it. That of a rollback is not checked. Default: any output is taken.
   */
  readonly output?: OutputClass;
  /**
   * Members of its output that are secret: they are sealed with `BACKSTEP_SECRET_KEY` before they
   * are kept, shown as `***`, and given in clear to the commands after it. Default: none.
   */
  readonly secrets?: readonly string[];
}

/**
 * Makes a method the command of that name in its executor's module. It is called with the task's
 * parameters and a `CommandContext`. A first parameter whose type is a class is checked against
 * the class-validator decorators of that class, and holds its members only; an interface or
 * `Record` gets all parameters as they are. Parameters that are secret come in clear.
 */
export function Command(name: string, { output, secrets }: CommandOptions = {}) {
  checkName('command', name);
  if (output !== undefined) expectClass(name, output);
  for (const member of secrets ?? []) expectMember(name, member);
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
    if (output !== undefined) Reflect.defineMetadata(COMMAND_OUTPUT, output, descriptor.value);
    if (secrets?.length) Reflect.defineMetadata(COMMAND_SECRETS, secrets, descriptor.value);

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

function expectClass(command: string, output: unknown): void {
  if (isParametersClass(output)) return;
  throw new Error(`the output of command ${command} must be a class with class-validator rules`);
}

function expectMember(command: string, member: unknown): void {
  if (typeof member === 'string' && member !== '') return;
  throw new Error(`the secrets of command ${command} must be names of members of its output`);
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
