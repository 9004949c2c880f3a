import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { JsonObject } from '#core';
import { Command, type CommandContext, Executor, type LookAgain, lookAgain } from '#nest';

/** When a step's command began and ended, in microseconds of the machine's monotonic clock. */
export type Stamp = readonly [taskId: string, cursor: number, began: number, ended: number];

let stamps: Stamp[] = [];
let waits = 0;

/** How many tasks were told to wait so far. */
export function countWaits(): number {
  return waits;
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

    /** Longer than anything is measured: the task is created and does nothing more. */
    @Command('wait')
    wait(_parameters: JsonObject): LookAgain {
      waits += 1;
      return lookAgain('1h');
    }
  }
  return BenchExecutor;
}
