import type { CommandContext } from '#ports';

/** The context of a command. Tests give the members that they care about; the rest has defaults. */
export function commandContext(
  given: Partial<CommandContext> = {},
): CommandContext & { readonly signal: AbortSignal } {
  const { taskId = 'task-1', step = 'step', direction = 'normal' } = given;
  const { run = step } = given;
  const key = (half: string) => `${taskId}:${run}:${half}`;
  return {
    flow: 'flow',
    cursor: 0,
    module: 'module',
    command: 'command',
    parameters: {},
    results: {},
    output: null,
    idempotencyKey: key(direction),
    forwardKey: key('normal'),
    fencingToken: 1,
    attempt: 1,
    completionToken: 'completion-token',
    traceparent: null,
    deadline: Number.MAX_SAFE_INTEGER,
    attemptDeadline: Number.MAX_SAFE_INTEGER,
    timeLeft: () => Number.MAX_SAFE_INTEGER,
    heartbeat: () => Promise.resolve(true),
    log: () => undefined,
    progress: () => undefined,
    ...given,
    taskId,
    step,
    run,
    direction,
    signal: (given.signal ?? new AbortController().signal) as AbortSignal,
  };
}
