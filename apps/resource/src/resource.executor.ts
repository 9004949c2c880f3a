import { Inject } from '@nestjs/common';
import type { JsonObject } from '#core';
import {
  Command,
  type CommandContext,
  Executor,
  KeepsMarks,
  ReportsResidue,
  type Residue,
  RetryableError,
  TerminalError,
} from '#executor';
import type { TaskMarks } from '#ports';
import { type Allocation, type Inventory, NoRoom, noRoom, type Size } from './inventory.js';
import { INVENTORY } from './inventory.token.js';
import { DeductParameters, RestoreParameters, SizeParameters } from './resource.parameters.js';

/** The commands of module `resource`. */
@Executor('resource')
export class ResourceExecutor {
  constructor(@Inject(INVENTORY) private readonly inventory: Inventory) {}

  /** Whether some host has room. Takes nothing: `host` is a suggestion for the deduction. */
  @Command('check_resource')
  async checkResource({ cpu, memory, storage }: SizeParameters): Promise<JsonObject> {
    const size = { cpu, memory, storage };
    const host = await this.inventory.findRoom(size);
    if (host === null) throw new TerminalError((await this.#explain(size)).message);
    return { host };
  }

  /**
   * Takes the resources, once per task; as a rollback it takes back what `restore_resource`
   * released.
   */
  @Command('deduct_resource')
  async deductResource(
    parameters: DeductParameters,
    context: CommandContext,
  ): Promise<JsonObject | undefined> {
    if (context.direction === 'rollback') {
      await orRetry(this.inventory.undoRelease(context));
      return undefined;
    }
    const { host } = parameters;
    const size = wholeSize(parameters);
    const named = instancesIn(context);
    const instances = named.length > 0 ? named : [''];
    const demand = { instances, preferred: host ?? null, size };
    const taken = await orRetry(this.inventory.take(context, demand));
    return { host: taken[0]?.host ?? null, allocations: taken.map(shown) };
  }

  /** Gives back what `deduct_resource` took; as a normal action, what is taken for an instance. */
  @Command('restore_resource')
  async restoreResource(
    { instance }: RestoreParameters,
    context: CommandContext,
  ): Promise<JsonObject | undefined> {
    if (context.direction === 'rollback') {
      await this.inventory.undoTake(context);
      return undefined;
    }
    if (!instance) throw new TerminalError('restore_resource needs the name of an `instance`');
    return { released: (await this.inventory.release(context, instance)).map(shown) };
  }

  /** Where this module keeps marks of its effects. */
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [this.inventory.marks];
  }

  /** The allocations that a task still has on hosts. */
  @ReportsResidue()
  async residue(taskId: string): Promise<readonly Residue[]> {
    const hosts = await this.inventory.listHosts();
    return hosts.flatMap(({ allocations, host }) => {
      const own = allocations.filter((one) => one.taskId === taskId);
      return own.map(({ cpu, memory, run, storage }) => {
        const size = `${cpu} cores, ${memory} GiB memory and ${storage} GiB storage`;
        return { what: `an allocation of ${size} on ${host}`, run };
      });
    });
  }

  async #explain(size: Size): Promise<NoRoom> {
    const hosts = await this.inventory.listHosts();
    const free = hosts.map(({ cpu, memory, storage }) => {
      return { cpu: cpu.free, memory: memory.free, storage: storage.free };
    });
    return noRoom(size, free);
  }
}

/** The size that is asked for; a terminal failure where a part of it lacks. */
function wholeSize({ cpu, memory, storage }: DeductParameters): Size {
  if (typeof cpu === 'number' && typeof memory === 'number' && typeof storage === 'number') {
    return { cpu, memory, storage };
  }
  throw new TerminalError('deduct_resource needs `cpu`, `memory` and `storage`');
}

/** Room may come while the flow's retry policy waits for it. */
async function orRetry<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NoRoom) throw new RetryableError(error.message, { cause: error });
    throw error;
  }
}

function shown({ host, instance, cpu, memory, storage }: Allocation): JsonObject {
  return { host, ...(instance !== '' && { instance }), cpu, memory, storage };
}

/**
 * Names of the instances that are to be accounted for: those that the steps before have made
 * (`instance` of a single one, or one object per member of a cluster, each with its own
 * `instance`), else the one that the parameters name. Empty where none is named.
 *
 * Made instances are read from the results of steps alone, so a request cannot pose as a step.
 */
function instancesIn({
  parameters,
  results,
}: Pick<CommandContext, 'parameters' | 'results'>): readonly string[] {
  const made = Object.values(results).flatMap((result) => [result, ...Object.values(result)]);
  const names = new Set(made.flatMap(nameIn));
  return names.size > 0 ? [...names].toSorted() : nameIn(parameters);
}

function nameIn(value: unknown): readonly string[] {
  const { instance } = (value ?? {}) as { readonly instance?: unknown };
  return typeof instance === 'string' && instance !== '' ? [instance] : [];
}
