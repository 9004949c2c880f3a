import type { PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import { InvalidParametersError } from './command-error.js';

/** A class that describes a command's parameters. */
export type ParametersClass = new () => object;

const BUILT_IN: ReadonlySet<unknown> = new Set([Object, Array, String, Number, Boolean, Map, Set]);

/** What is known of a class once its decorators have run. */
interface Reading {
  /** Members to take out of the bag, by their names there. Empty: the class declares no rules. */
  readonly names: readonly string[];
}

const RULES = {
  whitelist: true,
  forbidUnknownValues: false,
  validationError: { target: false, value: false },
} as const;

/** Whether a parameter's type is a class of the author's, which its decorators can describe. */
export function isParametersClass(type: unknown): type is ParametersClass {
  return typeof type === 'function' && !BUILT_IN.has(type);
}

/**
 * Makes an instance of the command's parameter class out of the parameters. These are a bag that
 * holds what other steps need as well: what the class does not declare is left out, not refused.
 */
export class ParametersPipe implements PipeTransform<object, Promise<object> | object> {
  readonly #type: ParametersClass;
  #reading: Reading | undefined;

  constructor(type: ParametersClass) {
    this.#type = type;
  }

  transform(bag: object): Promise<object> | object {
    this.#reading ??= readClass(this.#type);
    const { names } = this.#reading;
    return names.length === 0 ? bag : this.#check(pick(bag, names));
  }

  async #check(picked: object): Promise<object> {
    const parameters = plainToInstance(this.#type, picked);
    const errors = await validate(parameters, RULES);
    if (errors.length > 0) throw new InvalidParametersError(errors.flatMap(describe).join('; '));
    return parameters;
  }
}

/** Only these are copied and looked at, however much the steps before have left in the bag. */
function pick(bag: object, names: readonly string[]): object {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    if (Object.hasOwn(bag, name)) picked[name] = (bag as Record<string, unknown>)[name];
  }
  return picked;
}

function readClass(type: ParametersClass): Reading {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  if (rules.length === 0) return { names: [] };
  const declared = rules.map(({ propertyName }) => propertyName);
  return { names: [...new Set([...declared, ...exposedNames(type)])] };
}

/** Members with `@Expose({ name })` go by another name in the bag: it is seen being asked for. */
function exposedNames(type: ParametersClass): string[] {
  const asked: string[] = [];
  const bag = new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name === 'string' && name !== 'then') asked.push(name);
        return undefined;
      },
    },
  );
  plainToInstance(type, bag);
  return asked;
}

function describe(error: ValidationError): string[] {
  return describeUnder(error, '');
}

/** One sentence per broken rule, with the path of the member: `disk.sizeGb must be an integer`. */
function describeUnder(error: ValidationError, parent: string): string[] {
  const path = parent + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => {
    if (message.startsWith(error.property)) return path + message.slice(error.property.length);
    return `${path}: ${message}`;
  });
  const inner = (error.children ?? []).flatMap((child) => describeUnder(child, `${path}.`));
  return [...own, ...inner];
}
