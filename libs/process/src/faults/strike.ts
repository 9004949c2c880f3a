import type { Outcome } from '#core';
import { timeIsOver } from '#executor';
import type { CommandContext } from '#ports';

/** How one attempt of a real command goes wrong. */
export interface Blow {
  /** Before the command is called, or after it has done its work. */
  readonly where: 'before' | 'after';
  readonly how: 'error' | 'time-out' | 'crash';
  /** Whether it ends its action for good; else the action is tried again as its flow says. */
  readonly isTerminal: boolean;
  readonly message: string;
  /** Code of the error. Default: the usual one of a failure. */
  readonly error?: string | undefined;
}

/** An attempt, and the ways to run it and to end its executor. */
interface StruckAttempt {
  readonly context: CommandContext;
  readonly command: () => Promise<Outcome>;
  /** Takes the attempt from its executor, as a crash does; resolves when it is lost, or never. */
  readonly crash: () => Promise<void>;
}

/**
 * Lets an attempt go wrong. `isStruck` is false where it was to go wrong after its work, and the
 * command has not done it or has failed by itself: then the outcome is that of the command.
 */
export async function strike(
  { error, how, isTerminal, message, where }: Blow,
  { command, context, crash }: StruckAttempt,
): Promise<{ readonly outcome: Outcome; readonly isStruck: boolean }> {
  if (where === 'after') {
    const outcome = await command();
    const isDone = outcome.kind === 'succeeded' || outcome.kind === 'completes_later';
    if (!isDone) return { outcome, isStruck: false };
  }
  const coded = error !== undefined && { error };
  const failed: Outcome = { kind: 'failed', terminal: isTerminal, failure: 'FAILED', message };
  if (how === 'error') return { outcome: { ...failed, ...coded }, isStruck: true };
  if (how === 'crash') {
    await crash();
    // By now the attempt is another's, and nobody listens.
    return { outcome: { ...failed, terminal: false }, isStruck: true };
  }
  const outcome: Outcome = isTerminal
    ? { kind: 'timed_out', message }
    : timeIsOver(context, message);
  return { outcome, isStruck: true };
}
