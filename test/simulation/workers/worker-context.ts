import type { WorkItem } from '#engine';
import type { CommandContext } from '#ports';
import type { LightAbort } from '../light-abort.js';
import type { SimProcess } from '../sim-process.js';

/** The context of an attempt in a worker, all of whose times count from now. */
export function contextOf(
  item: WorkItem,
  { clock }: SimProcess,
  { signal }: LightAbort,
): CommandContext {
  const { attemptTimeLeftMs, claim, direction, forward, timeLeftMs } = item;
  const now = clock.now();
  const begunAt = clock.monotonic();
  return {
    taskId: item.taskId,
    flow: item.flow,
    step: item.step,
    cursor: claim.place,
    run: item.run,
    direction,
    module: item.module,
    command: item.command,
    parameters: item.parameters,
    results: item.results,
    output: forward?.output ?? null,
    idempotencyKey: item.idempotencyKey,
    forwardKey: item.forwardKey,
    fencingToken: item.fencingToken,
    attempt: item.attempt,
    completionToken: item.completionToken,
    traceparent: item.traceparent,
    deadline: now + timeLeftMs,
    attemptDeadline: now + attemptTimeLeftMs,
    timeLeft: () => Math.max(0, attemptTimeLeftMs - (clock.monotonic() - begunAt)),
    signal,
    heartbeat: () => Promise.resolve(!signal.aborted),
    log: () => {},
    progress: () => {},
  };
}
