import { Inject, UnprocessableEntityException } from '@nestjs/common';
import type { JsonObject } from '#core';
import { Command, type CommandContext, Executor, RetryableError, TerminalError } from '#executor';
import type { Clock } from '#ports';
import {
  FailParameters,
  FlakyParameters,
  OutputParameters,
  SleepParameters,
} from './lab.parameters.js';
import { LAB_CLOCK } from './lab.tokens.js';

/** Commands that succeed, fail, wait and die as they are told. */
@Executor('lab')
export class PracticeExecutor {
  constructor(@Inject(LAB_CLOCK) private readonly clock: Clock) {}

  /**
   * Does nothing and hands on `output`. Its parameters are checked by hand: it is what measures the
   * cost of everything around a command.
   */
  @Command('succeed')
  succeed({ output }: JsonObject): JsonObject | null {
    if (output === undefined || output === null) return null;
    if (typeof output === 'object' && !Array.isArray(output)) return output as JsonObject;
    throw new UnprocessableEntityException('output must be an object');
  }

  @Command('fail')
  fail({ kind, message }: FailParameters): never {
    const text = message ?? 'this step was told to fail';
    throw kind === 'terminal' ? new TerminalError(text) : new RetryableError(text);
  }

  /** Fails that many attempts, and in that many tries of its group, then succeeds. */
  @Command('flaky')
  flaky({ failures, tries }: FlakyParameters, { attempt, run }: CommandContext): void {
    const round = roundIn(run);
    if (round <= (tries ?? 0)) throw new RetryableError(`told to fail: try ${round} of ${tries}`);
    if (attempt > failures) return;
    throw new RetryableError(`told to fail: attempt ${attempt} of ${failures}`);
  }

  /** Obeys the signal. */
  @Command('sleep')
  async sleep({ ms }: SleepParameters, { signal }: CommandContext): Promise<void> {
    await this.clock.sleep(ms, signal);
    signal.throwIfAborted();
  }

  /** Goes on whatever the signal says. */
  @Command('hang')
  async hang({ ms }: SleepParameters): Promise<void> {
    await this.clock.sleep(ms);
  }

  /** Ends this process at once, as a power cut would. */
  @Command('crash')
  crash(): Promise<never> {
    process.kill(process.pid, 'SIGKILL');
    // The signal takes a moment; nothing may be answered meanwhile.
    return new Promise(() => undefined);
  }

  /** Hands on so much text. */
  @Command('output')
  output({ bytes }: OutputParameters): JsonObject {
    return { text: 'x'.repeat(bytes) };
  }
}

/** Which try of its group a run belongs to: of `group#2/step` the second. */
function roundIn(run: string): number {
  return Number(/#(\d+)\/[^/]*$/.exec(run)?.[1] ?? 1);
}
