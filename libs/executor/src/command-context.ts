import type { CommandContext as PortContext } from '#ports';

/** Everything a command is told about the attempt it makes. */
export interface CommandContext extends PortContext {
  /**
   * Aborted when the lease is lost, a person stops the task, or the time is over. The platform's
   * own kind: `fetch`, timers, streams and most drivers take it.
   */
  readonly signal: AbortSignal;
}
