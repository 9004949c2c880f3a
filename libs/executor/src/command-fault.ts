import type { Outcome } from '#core';
import type { CommandContext } from '#ports';

/** Stands in for one attempt of a command. `command` runs the real one, at most once. */
export type CommandFault = (command: () => Promise<Outcome>) => Promise<Outcome>;

/** Finds the fault to inject into an attempt; undefined: none, and the command runs as usual. */
export type FaultFinder = (context: CommandContext) => CommandFault | undefined;

/** The outcome of an attempt whose time is over, as its executor would tell it. */
export function timeIsOver(
  { attemptDeadline, deadline }: Pick<CommandContext, 'attemptDeadline' | 'deadline'>,
  message: string,
): Outcome {
  if (attemptDeadline >= deadline) return { kind: 'timed_out', message };
  return { kind: 'failed', terminal: false, failure: 'TIMED_OUT', message };
}
