import { type CommandSets, listNames, type Task } from '#core';
import {
  ANY_COMMAND,
  type Clock,
  type CommandCatalogue,
  type ExecutorRecord,
  type Observer,
} from '#ports';
import { queuedActions } from './silence.js';

/** How long an answer about the executors is good for, in milliseconds. */
const KNOWN_FOR_MS = 2_000;

/** Tasks that are remembered at most; the others are found at their own next look. */
const TASKS_MAX = 10_000;

/** A command whose tasks were not seen to wait for so long is awaited no more, in milliseconds. */
const SEEN_FOR_MS = 180_000;

/** A command that steps wait for, and how many tasks are known to have such steps. */
export interface AwaitedCommand {
  readonly module: string;
  readonly command: string;
  readonly tasks: number;
}

/** The tasks that wait for a command, and when one was last seen to, by the monotonic clock. */
interface Waiting {
  readonly taskIds: Set<string>;
  seenAt: number;
}

interface AwaitedParts {
  /** The commands of this process, which no announcement has to tell of. */
  readonly catalogue: Pick<CommandCatalogue, 'find'>;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Executors of every module that were heard of lately. */
  readonly list: () => Promise<readonly ExecutorRecord[]>;
}

/** Commands that executors have again, and the tasks that were seen to wait for them. */
interface Arrival {
  readonly commands: CommandSets;
  readonly taskIds: readonly string[];
}

/**
 * Commands that no executor of their modules has: their builds are gone for a while. Remembers
 * which tasks wait for one, so that these go on as soon as an executor with it is there.
 */
export class AwaitedCommands {
  private served = new Map<string, Set<string>>();
  private askedAt = -Infinity;
  private readonly waiting = new Map<string, Map<string, Waiting>>();
  private remembered = 0;

  constructor(private readonly parts: AwaitedParts) {}

  /** Finds out which commands there are. Where the store does not answer, those of before count. */
  async look(): Promise<void> {
    const { clock, list } = this.parts;
    if (clock.monotonic() - this.askedAt < KNOWN_FOR_MS) return;
    const records = await list().catch(() => null);
    if (records === null) return;
    this.askedAt = clock.monotonic();
    this.served = new Map();
    for (const { commands, module } of records) {
      const known = this.served.get(module) ?? new Set();
      for (const command of commands) known.add(command);
      this.served.set(module, known);
    }
  }

  /** Those that queued actions of these tasks wait for; the tasks are remembered. */
  among(tasks: readonly Task[]): CommandSets {
    const found = new Map<string, Set<string>>();
    for (const task of tasks) {
      for (const { command, module } of queuedActions(task)) {
        if (this.isServed(module, command) !== false) continue;
        found.set(module, (found.get(module) ?? new Set()).add(command));
        this.remember(module, command, task.plan.taskId);
      }
    }
    return found;
  }

  /** Commands that were waited for and that an executor has now; null: there are none. */
  arrival(): Arrival | null {
    const commands = new Map<string, Set<string>>();
    const taskIds = new Set<string>();
    for (const [module, waiting] of this.waiting) {
      for (const [command, found] of waiting) {
        if (this.isServed(module, command) !== true) continue;
        commands.set(module, (commands.get(module) ?? new Set()).add(command));
        for (const taskId of found.taskIds) taskIds.add(taskId);
      }
    }
    return commands.size === 0 ? null : { commands, taskIds: [...taskIds] };
  }

  /** The commands that steps wait for now. */
  list(): readonly AwaitedCommand[] {
    const since = this.parts.clock.monotonic() - SEEN_FOR_MS;
    return [...this.waiting].flatMap(([module, waiting]) => {
      const recent = [...waiting].filter(([, { seenAt }]) => seenAt >= since);
      return recent.map(([command, { taskIds }]) => ({ module, command, tasks: taskIds.size }));
    });
  }

  /** Forgets these commands, once the tasks that waited for them were sent. */
  settle(commands: CommandSets): void {
    for (const [module, arrived] of commands) {
      const waiting = this.waiting.get(module);
      for (const command of arrived) {
        this.remembered -= waiting?.get(command)?.taskIds.size ?? 0;
        waiting?.delete(command);
        this.notice('info', `an executor of ${module} has the command ${command} again`);
      }
    }
  }

  /** Undefined: not even its module is. */
  private isServed(module: string, command: string): boolean | undefined {
    if (this.parts.catalogue.find(module, command) !== undefined) return true;
    const commands = this.served.get(module);
    return commands && (commands.has(command) || commands.has(ANY_COMMAND));
  }

  private remember(module: string, command: string, taskId: string): void {
    const waiting = this.waiting.get(module) ?? new Map<string, Waiting>();
    this.waiting.set(module, waiting);
    const known = waiting.get(command);
    const found = known ?? { taskIds: new Set<string>(), seenAt: 0 };
    found.seenAt = this.parts.clock.monotonic();
    if (known === undefined) {
      const others = listNames([...(this.served.get(module) ?? [])].toSorted());
      const message = `no executor of ${module} has the command ${command}; it has ${others}`;
      this.notice('warn', `${message}: steps with it wait for one`);
    }
    waiting.set(command, found);
    if (this.remembered >= TASKS_MAX || found.taskIds.has(taskId)) return;
    found.taskIds.add(taskId);
    this.remembered += 1;
  }

  private notice(level: 'info' | 'warn', message: string): void {
    this.parts.observer.noticed({ level, name: 'command_not_served', message });
  }
}
