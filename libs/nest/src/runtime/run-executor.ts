import type { DynamicModule, Type } from '@nestjs/common';
import { runProcess } from './run-process.js';
import type { RunningProcess } from './start-process.js';

/** An executor process of your own. */
export interface ExecutorProcess {
  /** Shown in logs, at the broker, and in the list of executors. */
  readonly name: string;
  /** Nest modules whose controllers are executors. */
  readonly modules: readonly (Type | DynamicModule)[];
  /**
   * Where `/livez`, `/readyz` and `/metrics` answer when `BACKSTEP_HTTP` is not set. Default: 7080.
   */
  readonly port?: number;
}

/**
 * Runs executors of your own as a process of the distributed set until it is told to stop. Store,
 * broker and everything else come from the settings, as for Backstep's own processes. Resolves to
 * null where it could not start; then the reason is on standard error and the exit code is set.
 */
export function runExecutor({
  name,
  modules,
  port = 7080,
}: ExecutorProcess): Promise<RunningProcess | null> {
  const duties = { executor: true, governance: false };
  return runProcess({ name, port, duties, parts: () => ({ modules }) });
}
