import { Inject } from '@nestjs/common';
import type { JsonObject } from '#core';
import {
  Command,
  type CommandContext,
  Executor,
  KeepsMarks,
  ReportsResidue,
  type Residue,
  TerminalError,
} from '#executor';
import type { TaskMarks } from '#ports';
import { type InstanceProvider, type InstanceSpec, InstanceTaken } from './instance.js';
import { BadInstanceName, checkInstanceName, instanceName } from './instance-name.js';
import { CleanParameters, InitParameters } from './mysql.parameters.js';
import { INSTANCE_PROVIDER } from './provider.token.js';

const CONNECTIONS_PER_CORE = 50;
const CONNECTIONS = 100;

/** The commands of module `mysql`. */
@Executor('mysql')
export class MysqlExecutor {
  constructor(@Inject(INSTANCE_PROVIDER) private readonly provider: InstanceProvider) {}

  /**
   * Makes an instance. Later steps are told its `instance`, `schema`, `user` and `endpoint`; for a
   * member of a cluster under the name of its suffix, so that members do not hide each other.
   */
  @Command('init_instance')
  async initInstance(parameters: InitParameters, context: CommandContext): Promise<JsonObject> {
    if (context.direction === 'rollback') {
      throw new TerminalError('an instance that was removed does not come back with its data');
    }
    const { nameSuffix } = parameters;
    const made = await orTerminal(() => this.provider.init(context, specOf(parameters, context)));
    return nameSuffix ? { [nameSuffix]: made } : made;
  }

  /** Removes what `init_instance` made; as a normal action, the instance with all its data. */
  @Command('clean_instance')
  async cleanInstance(
    { instance, nameSuffix }: CleanParameters,
    context: CommandContext,
  ): Promise<JsonObject | undefined> {
    if (context.direction === 'rollback') {
      await this.provider.undoInit(context);
      return undefined;
    }
    if (!instance) throw new TerminalError('clean_instance needs the name of an `instance`');
    const whole = nameSuffix ? `${instance}-${nameSuffix}` : instance;
    const removed = await orTerminal(() => this.provider.clean(context, checkInstanceName(whole)));
    return { removed: removed ? whole : null };
  }

  /** Where this module keeps marks of its effects. */
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [this.provider.marks];
  }

  /** The instances that a task has made. */
  @ReportsResidue()
  async residue(taskId: string): Promise<readonly Residue[]> {
    const made = await this.provider.madeBy(taskId);
    return made.map(({ instance, run }) => ({ what: `the instance ${instance}`, run }));
  }
}

function specOf(parameters: InitParameters, { taskId }: CommandContext): InstanceSpec {
  const { connections, cpu, instance, memory, nameSuffix, role, storage } = parameters;
  const byCores = cpu ? Math.max(1, Math.ceil(cpu * CONNECTIONS_PER_CORE)) : CONNECTIONS;
  return {
    instance: instanceName({ taskId, instance, suffix: nameSuffix }),
    role: role ?? null,
    connections: connections ?? byCores,
    memory: memory ?? null,
    storage: storage ?? null,
  };
}

/** Turns errors that no further attempt can change into terminal ones. */
async function orTerminal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InstanceTaken || error instanceof BadInstanceName) {
      throw new TerminalError(error.message, { cause: error });
    }
    throw error;
  }
}
