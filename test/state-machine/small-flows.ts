import {
  type Action,
  type CrashPolicy,
  type FailurePolicy,
  type FlowDefinition,
  NO_RETRY,
  type RetryPolicy,
  type StepPlan,
} from '#core';

/** Retried once, after a wait. */
const LATER: RetryPolicy = { ...NO_RETRY, attempts: 2, backoff: 'fixed', delayMs: 1_000 };
/** Retried once, at once. */
const AT_ONCE: RetryPolicy = { ...NO_RETRY, attempts: 2 };

function action(retry: RetryPolicy, onCrash: CrashPolicy, timeoutMs = 60_000): Action {
  const times = { timeoutMs, attemptTimeoutMs: null };
  return { module: 'm', command: 'go', ...times, retry, onCrash, parameters: null };
}

const RESTARTED = action(LATER, { restarts: 1 });
const NEVER_TWICE = action(AT_ONCE, 'fail');

/** An action that is tried once and has all the time there is: for flows of several steps. */
const PLAIN = action(NO_RETRY, { restarts: 0 }, Number.MAX_SAFE_INTEGER);

/** A flow whose tasks are small enough for everything to be done to them. */
export interface SmallFlow {
  readonly definition: FlowDefinition;
  /**
   * The grain at which tasks are told apart. `fine`: everything that decides. `plain`: the same
   * where each action is tried once, with one look at whether any wait is over.
   * `coarse`: the states of actions in any order, where all else would be too many. `claims`: the
   * same, with how the claims of workers stand.
   */
  readonly grain: 'fine' | 'plain' | 'coarse' | 'claims';
}

/** Name of the flow whose step may be left to another system; no other is, to bound states. */
export const LEFT_TO_OTHERS = 'left-to-others';

/** Name of the flow whose actions workers claim. */
export const OF_WORKERS = 'of-workers';

/** Properties of a flow besides its steps. */
interface Grained {
  readonly timeoutMs: number | null;
  readonly onFailure: FailurePolicy;
  readonly grain: SmallFlow['grain'];
  readonly name: string;
}

function flow(
  steps: readonly StepPlan[],
  { timeoutMs = null, name = 'f', onFailure = 'rollback', grain = 'fine' }: Partial<Grained> = {},
): SmallFlow {
  const more = { description: null, input: null, timeoutMs, onFailure };
  const definition = { name, ...more, steps };
  return { definition, grain };
}

const DONE_AND_UNDONE = { normal: PLAIN, rollback: PLAIN };

const SIGNAL = { signal: 'go', timeoutMs: 60_000, onTimeout: 'fail' } as const;
const APPROVAL = { title: '{% asked %}', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;

/** Flows in whose tasks everything happens that the tables tell of. */
export const SMALL_FLOWS: readonly SmallFlow[] = [
  flow([{ name: 'a', needs: [], normal: RESTARTED, rollback: RESTARTED }]),
  flow([{ name: 'a', needs: [], normal: NEVER_TWICE, rollback: NEVER_TWICE }], {
    timeoutMs: 90_000,
  }),
  flow([{ name: 'a', needs: [], normal: RESTARTED, rollback: RESTARTED }], {
    name: LEFT_TO_OTHERS,
    grain: 'coarse',
  }),
  flow([{ name: 'a', needs: [], normal: NEVER_TWICE, rollback: RESTARTED }], {
    name: OF_WORKERS,
    grain: 'claims',
  }),
  // In a row: what is undone waits for its turn, and a rollback that fails stops the next.
  flow(
    [
      { name: 'a', needs: [], ...DONE_AND_UNDONE },
      { name: 'b', needs: [0], ...DONE_AND_UNDONE },
    ],
    { grain: 'plain' },
  ),
  // Expires where nobody starts it.
  flow([{ name: 'a', needs: [], ...DONE_AND_UNDONE, expiresAfterMs: 20_000 }], { grain: 'plain' }),
  // A failed step waits for a person, until its hold is over.
  flow([{ name: 'a', needs: [], ...DONE_AND_UNDONE }], { onFailure: { holdMs: 500_000 } }),
  // Side by side: one is called off when the other turns the task.
  flow(
    [
      { name: 'a', needs: [], ...DONE_AND_UNDONE },
      { name: 'b', needs: [], normal: PLAIN, rollback: null },
    ],
    { grain: 'plain' },
  ),
  // The same, where both rollbacks may fail.
  flow(
    [
      { name: 'a', needs: [], ...DONE_AND_UNDONE },
      { name: 'b', needs: [], ...DONE_AND_UNDONE },
    ],
    { grain: 'coarse' },
  ),
  // Asked about, then waiting for another system.
  flow([{ name: 'a', needs: [], if: '{% asked %}', wait: SIGNAL, rollback: PLAIN }], {
    grain: 'coarse',
  }),
  flow([{ name: 'a', needs: [], approve: APPROVAL, rollback: null }], { grain: 'coarse' }),
];
