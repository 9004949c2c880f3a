import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { JsonObject } from '#core';
import { Command, type CommandContext, Executor, type LookAgain, lookAgain } from '#executor';

/** When a step's command began and ended, in microseconds of the machine's monotonic clock. */
export type Stamp = readonly [taskId: string, cursor: number, began: number, ended: number];

let stamps: Stamp[] = [];
let waits = 0;

/** How many tasks were told to wait so far. */
export function countWaits(): number {
  return waits;
}

/** How often each task's `make` was carried out, and its `unmake`. */
const made = new Map<string, number>();
const unmade = new Map<string, number>();

/** Of tasks that ran `make`: their number, and how many of them were undone exactly once. */
export function countUndone(): { readonly made: number; readonly undoneOnce: number } {
  const undoneOnce = [...made.keys()].filter((taskId) => unmade.get(taskId) === 1).length;
  return { made: made.size, undoneOnce: made.size === unmade.size ? undoneOnce : -1 };
}

/** Forgets what `make` and `unmake` did. */
export function forgetMade(): void {
  made.clear();
  unmade.clear();
}

function count(counts: Map<string, number>, taskId: string): null {
  counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
  return null;
}

/** Hands out the stamps since the last time. */
export function takeStamps(): readonly Stamp[] {
  const taken = stamps;
  stamps = [];
  return taken;
}

/** Notes that a step ran now, in a process of any kind on this machine. */
export function addStamp(taskId: string, cursor: number, began: number): void {
  stamps.push([taskId, cursor, began, monotonicUs()]);
}

/** The machine's monotonic clock, which all processes share. */
export function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}

/** Modules whose commands do nothing, so that only what surrounds them is measured. */
@Module({})
export class BenchModule {
  static register(modules: readonly string[]): DynamicModule {
    return { module: BenchModule, controllers: modules.map(executorOf) };
  }
}

function executorOf(module: string): Type {
  @Executor(module)
  class BenchExecutor {
    @Command('pass')
    pass(_parameters: JsonObject): null {
      return null;
    }

    @Command('stamp')
    stamp(_parameters: JsonObject, { cursor, taskId }: CommandContext): null {
      addStamp(taskId, cursor, monotonicUs());
      return null;
    }

    @Command('make')
    make(_parameters: JsonObject, { taskId }: CommandContext): null {
      return count(made, taskId);
    }

    @Command('unmake')
    unmake(_parameters: JsonObject, { taskId }: CommandContext): null {
      return count(unmade, taskId);
    }

    /** Longer than anything is measured: the task is created and does nothing more. */
    @Command('wait')
    wait(_parameters: JsonObject): LookAgain {
      waits += 1;
      return lookAgain('1h');
    }
  }
  return BenchExecutor;
}
