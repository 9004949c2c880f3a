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
import { TargetParameters } from './monitor.parameters.js';
import { TARGET_LIST } from './monitor.tokens.js';
import { type TargetList, TargetTaken } from './target-list.js';
import { instancesIn, NoTarget, targetsIn } from './targets-in.js';

/** Tells Prometheus what to watch. Each command is the other one's rollback. */
@Executor('monitor')
export class TargetExecutor {
  constructor(@Inject(TARGET_LIST) private readonly targets: TargetList) {}

  /** Starts to watch the instances that the steps before have made. */
  @Command('add_target')
  async addTarget(
    parameters: TargetParameters,
    context: CommandContext,
  ): Promise<JsonObject | undefined> {
    if (context.direction === 'rollback') {
      await this.targets.undoRemove(context);
      return undefined;
    }
    const targets = await orTerminal(() => targetsIn(parameters, context));
    await orTerminal(() => this.targets.add(context, targets));
    return { watched: targets.map(({ target }) => target) };
  }

  /** Stops watching. */
  @Command('remove_target')
  async removeTarget(
    parameters: TargetParameters,
    context: CommandContext,
  ): Promise<JsonObject | undefined> {
    if (context.direction === 'rollback') {
      await this.targets.undoAdd(context);
      return undefined;
    }
    const instances = await orTerminal(() => instancesIn(parameters, context));
    return { unwatched: await this.targets.remove(context, instances) };
  }

  /** Where this module keeps marks of its effects. */
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [this.targets.marks];
  }

  /** The instances that are watched for a task. */
  @ReportsResidue()
  async residue(taskId: string): Promise<readonly Residue[]> {
    const own = (await this.targets.list()).filter(({ labels }) => labels['task_id'] === taskId);
    return own.map(({ instance }) => ({ what: `the monitoring of ${instance}` }));
  }
}

/** Turns errors that no further attempt can change into terminal ones. */
async function orTerminal<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isFinal = error instanceof NoTarget || error instanceof TargetTaken;
    if (isFinal) throw new TerminalError(error.message, { cause: error });
    throw error;
  }
}
