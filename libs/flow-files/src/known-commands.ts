import type { JsonObject } from '#core';
import { ANY_COMMAND, type CommandCatalogue, type ExecutorRecord } from '#ports';

/** The commands that executors have, as far as known. */
export interface KnownCommands {
  /** Modules with at least one executor. */
  modules(): readonly string[];
  /** Names of a module's commands. */
  commands(module: string): readonly string[];
  /**
   * JSON Schemas of the parameters that a command takes, one for each build that says another: what
   * one of them takes is taken. Empty: that is not known.
   */
  schemas?(module: string, command: string): readonly JsonObject[];
  /** The same of what a command returns: what fits one of them may come. */
  outputs?(module: string, command: string): readonly JsonObject[];
  /** Whether an executor of the module takes whatever command it is given. Default: none does. */
  hasAny?(module: string): boolean;
  /**
   * Whether there may be modules that are not listed, because their executors are away just now.
   * Default: no.
   */
  readonly isPartial?: boolean;
  /**
   * Whether there may also be commands that are not listed, so that none is unknown: only the
   * parameters of those that are listed are looked at. Default: no.
   */
  readonly hasOthers?: boolean;
}

/** The commands of executors in this process, with the schemas of each that has some. */
export function knownCommandsOf(
  catalogue: Pick<CommandCatalogue, 'commands' | 'modules' | 'outputOf' | 'parametersOf'>,
): KnownCommands {
  const listed = (schema: JsonObject | null) => (schema === null ? [] : [schema]);
  return {
    modules: () => catalogue.modules(),
    commands: (module) => catalogue.commands(module),
    schemas: (module, command) => listed(catalogue.parametersOf(module, command)),
    outputs: (module, command) => listed(catalogue.outputOf(module, command)),
  };
}

/**
 * The schemas of one command by all builds that run, by the members of `KnownCommands`; null: one
 * of them does not say; absent: none of them has it.
 */
interface CommandSchemas {
  readonly schemas?: readonly JsonObject[] | null;
  readonly outputs?: readonly JsonObject[] | null;
}

/** The same as it travels to another thread. */
export interface CommandList {
  /** By module: its commands, each with its schemas. */
  readonly modules: ReadonlyMap<string, ReadonlyMap<string, CommandSchemas>>;
  /** Modules with an executor that takes whatever command it is given. */
  readonly open: ReadonlySet<string>;
  readonly isPartial: boolean;
}

/** Lists the known commands as plain data, such as a worker can be sent. */
export function listCommands(known: KnownCommands): CommandList {
  const modules = known.modules().map((module) => {
    const commands = known.commands(module).map((command) => {
      const schemas = known.schemas?.(module, command) ?? [];
      return [command, { schemas, outputs: known.outputs?.(module, command) ?? [] }] as const;
    });
    return [module, new Map(commands)] as const;
  });
  const open = new Set(known.modules().filter((module) => known.hasAny?.(module) === true));
  return { modules: new Map(modules), open, isPartial: known.isPartial ?? false };
}

/** The known commands from a plain list, such as one that was sent to a worker. */
export function knownFrom({ isPartial, modules, open }: CommandList): KnownCommands {
  return {
    modules: () => [...modules.keys()],
    commands: (module) => [...(modules.get(module)?.keys() ?? [])],
    schemas: (module, command) => modules.get(module)?.get(command)?.schemas ?? [],
    outputs: (module, command) => modules.get(module)?.get(command)?.outputs ?? [],
    hasAny: (module) => open.has(module),
    isPartial,
  };
}

/**
 * The commands of announcements, one for each executor. `own`: those of this process, beside which
 * there are no others that are only away.
 */
export function announcedCommands(
  records: readonly ExecutorRecord[],
  own?: KnownCommands,
): KnownCommands {
  const modules = new Map<string, Map<string, CommandSchemas>>();
  for (const { commands, module, outputs = {}, parameters = {}, stopped } of records) {
    const known = modules.get(module) ?? new Map<string, CommandSchemas>();
    modules.set(module, known);
    for (const name of commands) {
      const before = known.get(name) ?? {};
      const its = stopped !== true && {
        schemas: joined(before.schemas, parameters[name]),
        outputs: joined(before.outputs, outputs[name]),
      };
      known.set(name, { ...before, ...its });
    }
  }
  const open = [...modules].filter(([, commands]) => commands.has(ANY_COMMAND));
  const list = { modules, open: new Set(open.map(([module]) => module)), isPartial: true };
  const announced = knownFrom(list);
  return own === undefined ? announced : both(own, announced);
}

/** The commands of this process, and those of workers. */
function both(own: KnownCommands, others: KnownCommands): KnownCommands {
  const knower = (module: string, command: string): KnownCommands => {
    return own.commands(module).includes(command) ? own : others;
  };
  return {
    modules: () => [...new Set([...own.modules(), ...others.modules()])],
    commands: (module) => [...new Set([...own.commands(module), ...others.commands(module)])],
    schemas: (module, command) => knower(module, command).schemas?.(module, command) ?? [],
    outputs: (module, command) => knower(module, command).outputs?.(module, command) ?? [],
    hasAny: (module) => others.hasAny?.(module) === true,
  };
}

/** One build that does not say what it takes, or returns, may do so with anything: null. */
function joined(
  known: readonly JsonObject[] | null | undefined,
  schema: JsonObject | undefined,
): readonly JsonObject[] | null {
  if (known === null || schema === undefined) return null;
  const text = JSON.stringify(schema);
  const isNew = (known ?? []).every((each) => JSON.stringify(each) !== text);
  return isNew ? [...(known ?? []), schema] : (known ?? []);
}
