import type { DynamicModule, Type } from '@nestjs/common';
import type { SecretResolver } from '#ports';
import { runProcess } from './run-process.js';
import type { ProcessHandle, ProcessPlan } from './start-process.js';

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
  /**
   * Fetch secrets by reference, besides `env:`, `file:` and `vault:`. Commands get those that
   * `BACKSTEP_SECRETS` lists for their modules. Default: none.
   */
  readonly secretResolvers?: readonly SecretResolver[];
}

/**
 * Runs executors of your own as a process of the distributed set until it is told to stop. Store,
 * broker and everything else come from the settings, as for Backstep's own processes. Resolves to
 * null where it could not start; then the reason is on standard error and the exit code is set. It
 * does not start on `memory:` or a file: nobody could give it work.
 */
export function runExecutor(options: ExecutorProcess): Promise<ProcessHandle | null> {
  return runProcess(executorPlan(options));
}

/** The plan of the process that `runExecutor` runs. The default name is `executor`. */
export function executorPlan({
  name = 'executor',
  modules,
  port = 7080,
  secretResolvers = [],
}: Partial<ExecutorProcess> & Pick<ExecutorProcess, 'modules'>): ProcessPlan {
  const duties = { executor: true, governance: false };
  const parts: ProcessPlan['parts'] = () => ({ modules });
  return { name, port, duties, isOfAuthors: true, needsOthers: true, secretResolvers, parts };
}
