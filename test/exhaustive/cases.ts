import type { Action, CrashPolicy, FlowDefinition, RetryPolicy, StepPlan } from '#core';

/** Every way in which up to three steps can need one another. */
const SHAPES = {
  one: [[]],
  'chain-2': [[], [0]],
  'parallel-2': [[], []],
  'chain-3': [[], [0], [1]],
  fork: [[], [0], [0]],
  join: [[], [], [0, 1]],
  apart: [[], [0], []],
  'parallel-3': [[], [], []],
} as const;

/** How a task goes by itself. */
const ENDINGS = ['succeeds', 'undone', 'rollback-fails'] as const;

export type Shape = keyof typeof SHAPES;
export type Ending = (typeof ENDINGS)[number];

/** One task, and how it goes where nothing goes wrong. */
export interface Case {
  /** `<shape>/<ending>`. */
  readonly name: string;
  readonly shape: Shape;
  readonly ending: Ending;
  readonly definition: FlowDefinition;
}

/** Most time that an action has, in milliseconds. */
export const TIMEOUT_MS = 20_000;

/**
 * The modules of each step: some changes of step stay in their process by a hand-over, and some
 * travel, forward and back.
 */
const MODULES = [
  { forward: 'a', back: 'a' },
  { forward: 'b', back: 'c' },
  { forward: 'a', back: 'b' },
] as const;

/** Two crashes of one action are more than it bears. */
const RESTART: CrashPolicy = { restarts: 1 };

const WAITS = { attempts: 2, backoff: 'fixed', delayMs: 500 } as const;
const AT_ONCE = { attempts: 2, backoff: 'none', delayMs: 0 } as const;

/** All tasks of the model, the smallest first. */
export const CASES: readonly Case[] = (Object.keys(SHAPES) as Shape[]).flatMap((shape) =>
  ENDINGS.map((ending) => {
    const name = `${shape}/${ending}`;
    return { name, shape, ending, definition: definitionOf(shape) };
  }),
);

function definitionOf(shape: Shape): FlowDefinition {
  const steps = SHAPES[shape].map((needs, index): StepPlan => {
    const { back, forward } = MODULES[index]!;
    const normal = { ...actionOf(forward, 'do', WAITS), onCrash: RESTART };
    // A rollback that is lost with its process: started again, or a person's.
    const onCrash: CrashPolicy = index === 0 ? RESTART : 'fail';
    const rollback = { ...actionOf(back, 'undo', AT_ONCE), onCrash };
    return { name: `s${index}`, needs, normal, rollback };
  });
  return { name: shape, description: null, input: null, timeoutMs: null, steps };
}

function actionOf(
  module: string,
  command: string,
  policy: Pick<RetryPolicy, 'attempts' | 'backoff' | 'delayMs'>,
): Omit<Action, 'onCrash'> {
  const retry: RetryPolicy = { ...policy, maxDelayMs: null, jitter: false };
  const rest = { attemptTimeoutMs: null, parameters: null };
  return { module, command, timeoutMs: TIMEOUT_MS, retry, ...rest };
}
