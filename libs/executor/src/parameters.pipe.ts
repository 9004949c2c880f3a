import type { PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError } from 'class-validator';
import { type JsonObject, textOfThrown } from '#core';
import { mergeParameters } from '#core/json';
import { instanceOf } from '#seams/class-transformer';
import { InvalidParametersError } from './command-error.js';
import type { ParametersClass } from './command-metadata.js';
import { sharedByCopies } from './shapes.js';

type Members = Record<string, unknown>;

const BUILT_IN: ReadonlySet<unknown> = new Set([Object, Array, String, Number, Boolean, Map, Set]);

/** Facts about a class, read once its decorators have run. */
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

/** Bags of rollbacks: a member that does not fit and is not needed is passed over. */
const lenientBags = sharedByCopies('lenientBags', () => new WeakSet());

/**
 * The parameters of a rollback, which are not refused for a member that the command can do without.
 */
export function forRollback(parameters: object): object {
  const bag = mergeParameters([parameters as JsonObject]);
  lenientBags.add(bag);
  return bag;
}

/**
 * Makes an instance of the command's parameter class out of the parameters. These are a bag that
 * holds what other steps need as well: what the class does not declare is left out, not refused.
 *
 * A rollback is read leniently: what the class refuses is left out too, and only if it refuses what
 * is left (a member that it requires lacks or does not fit) are the parameters refused. A request
 * that an undo has no use for must not stand in its way.
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
    if (names.length === 0) return bag;
    const picked = pick(bag, names);
    return lenientBags.has(bag) ? this.#readLeniently(picked) : this.#check(picked);
  }

  async #check(picked: Members): Promise<object> {
    const parameters = this.#makeFrom(picked);
    const errors = await validate(parameters, RULES);
    if (errors.length > 0) throw refusal(errors);
    return parameters;
  }

  /** Leaves out what is refused until nothing is, or until leaving it out does not help. */
  async #readLeniently(picked: Members): Promise<object> {
    const parameters = this.#makeFrom(this.#withoutUnfit(picked)) as Members;
    const blank = this.#makeFrom({}) as Members;
    const left = new Set<string>();
    for (;;) {
      const errors = await validate(parameters, RULES);
      if (errors.length === 0) return parameters;
      const names = errors.map(({ property }) => property).filter((name) => !left.has(name));
      if (names.length === 0) throw refusal(errors);
      for (const name of names) {
        left.add(name);
        if (blank[name] === undefined) delete parameters[name];
        else parameters[name] = blank[name];
      }
    }
  }

  /** Members that the class's own transformations can be made of, each by itself. */
  #withoutUnfit(picked: Members): Members {
    return Object.fromEntries(
      Object.entries(picked).filter(([name, value]) => {
        try {
          this.#makeFrom({ [name]: value });
          return true;
        } catch {
          return false;
        }
      }),
    );
  }

  /** A transformation that throws has met what it was not made for. */
  #makeFrom(picked: Members): object {
    try {
      return instanceOf(this.#type, picked);
    } catch (error) {
      throw new InvalidParametersError(textOfThrown(error), { cause: error });
    }
  }
}

function refusal(errors: readonly ValidationError[]): InvalidParametersError {
  const sentences = errors.flatMap((error) => describeUnder(error, ''));
  return new InvalidParametersError(sentences.join('; '));
}

/** Only these are copied and looked at, however much the steps before have left in the bag. */
function pick(bag: object, names: readonly string[]): Members {
  const picked: Members = {};
  for (const name of names) {
    if (Object.hasOwn(bag, name)) picked[name] = (bag as Members)[name];
  }
  return picked;
}

function readClass(type: ParametersClass): Reading {
  return { names: declaredNames(type) };
}

/** The members that a class declares, by their names in JSON; none: it has no rules. */
export function declaredNames(type: ParametersClass): readonly string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  if (rules.length === 0) return [];
  const declared = rules.map(({ propertyName }) => propertyName);
  return [...new Set([...declared, ...exposedNames(type)])];
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

/**
 * One sentence per broken rule, with the path of the member: `disk.sizeGb must be an integer`.
 * `separator` stands between its names.
 */
export function describeUnder(error: ValidationError, parent: string, separator = '.'): string[] {
  const path = parent + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => {
    if (message.startsWith(error.property)) return path + message.slice(error.property.length);
    return `${path}: ${message}`;
  });
  const inner = (error.children ?? []).flatMap((child) =>
    describeUnder(child, path + separator, separator),
  );
  return [...own, ...inner];
}
