import type { Action, CrashPolicy, FlowDefinition, StepOf, RetryPolicy, StepPlan } from '#core';
import { actionsIn } from '#core/flow';
import { REPORT_FLOW } from '../simulation/random-failures.js';
import { SIGNAL } from '../simulation/random-program.js';

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

const WAITS = { attempts: 2, backoff: 'fixed', delayMs: 500 } as const;
const AT_ONCE = { attempts: 2, backoff: 'none', delayMs: 0 } as const;
const ONCE = { attempts: 1, backoff: 'none', delayMs: 0 } as const;

/** The smallest tasks with groups: undone as a whole, tried again, and in one another. */
const GROUP_SHAPES = {
  'group-2': () => [groupOf('g', [stepOf(0), stepOf(1, [0])], ONCE)],
  'group-between': () => [
    stepOf(0),
    { ...groupOf('g', [stepOf(1)], AT_ONCE), needs: [0] },
    stepOf(2, [1]),
  ],
  'group-again': () => [groupOf('g', [stepOf(0), stepOf(1, [0])], WAITS)],
  nested: () => {
    const inner = groupOf('i', [stepOf(0)], AT_ONCE);
    return [groupOf('g', [inner, stepOf(1, [0])], AT_ONCE)];
  },
} as const satisfies Readonly<Record<string, () => readonly StepPlan[]>>;

/** Undoes a wait, which has no effect: what is undone is known all the same. */
const undoOf = (): Action => ({ ...actionOf('a', 'undo', AT_ONCE), onCrash: { restarts: 1 } });

const CAUGHT = () => ({ errors: ['*'], as: null, steps: [stepOf(0)] });

/** The flow of the child task that a step with `flow` starts. */
const CHILD_FLOW = 'child';

/** The smallest tasks with each of the other kinds of steps; the last command of each fails. */
const KIND_SHAPES = {
  choice: () => {
    const cases = [{ name: 'one', when: '{% yes %}', steps: [stepOf(0)] }];
    return [{ name: 'k', needs: [], choice: cases, otherwise: null }, stepOf(1, [0])];
  },
  loop: () => {
    const rest = { while: null, until: '{% $index > 0 %}', max: 2, delay: null };
    return [{ name: 'k', needs: [], loop: { steps: [stepOf(0)], ...rest } }, stepOf(1, [0])];
  },
  parallel: () => {
    const parallel = [stepOf(0), stepOf(1)].map((step) => ({ name: step.name, steps: [step] }));
    return [{ name: 'k', needs: [], parallel, onBranchFailure: 'wait' }];
  },
  dynamic: () => {
    const made = { dynamic: { steps: [stepOf(0)] as never }, if: '{% yes %}' };
    return [{ name: 'k', needs: [], ...made }, stepOf(1, [0])];
  },
  catch: () => [{ ...stepOf(1), catch: [CAUGHT()] }],
  optional: () => [stepOf(0), { ...stepOf(1, [0]), optional: true }],
  signal: () => {
    const wait = { signal: SIGNAL, timeoutMs: null, onTimeout: 'fail' } as const;
    return [{ name: 'k', needs: [], wait, rollback: undoOf() }, stepOf(1, [0])];
  },
  approve: () => {
    const approve = { title: 'may it?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
    return [{ name: 'k', needs: [], approve, rollback: undoOf() }, stepOf(1, [0])];
  },
  pivot: () => [{ ...stepOf(0), pivot: true }, stepOf(1, [0])],
  foreach: () => {
    const rest = { as: 'item', concurrency: 2, successPercent: 100, flow: null, parameters: null };
    const foreach = { in: ['a', 'b'], steps: [stepOf(0)], ...rest };
    return [{ name: 'k', needs: [], foreach }, stepOf(1, [0])];
  },
  flow: () => {
    const flow = { name: CHILD_FLOW, version: null, parameters: null };
    return [{ name: 'k', needs: [], flow }, stepOf(1, [0])];
  },
  set: () => [
    stepOf(0),
    { name: 'k', needs: [0], set: { on: 1 }, rollback: undoOf() },
    stepOf(1, [1]),
  ],
  succeed: () => [stepOf(0), { name: 'k', needs: [0], succeed: { output: null } }, stepOf(1, [1])],
  fail: () => [stepOf(0), { name: 'k', needs: [0], fail: { code: 'NO', message: 'no' } }],
  locks: () => [
    { ...stepOf(0), locks: [{ name: 'one', slots: 1 }] },
    { ...stepOf(1, [0]), locks: [{ name: 'two', slots: 2 }] },
  ],
} as const satisfies Readonly<Record<string, () => readonly StepPlan[]>>;

/** How a task goes by itself. `tried-again`: what is last fails in the first try of a group. */
const ENDINGS = ['succeeds', 'undone', 'rollback-fails'] as const;
const GROUP_ENDINGS = [...ENDINGS, 'tried-again'] as const;

type GroupShape = keyof typeof GROUP_SHAPES;
type KindShape = keyof typeof KIND_SHAPES;
export type Shape = keyof typeof SHAPES | GroupShape | KindShape | 'failure-flow';
export type Ending = (typeof GROUP_ENDINGS)[number];

/** One task, and how it goes where nothing goes wrong. */
export interface Case {
  /** `<shape>/<ending>`. */
  readonly name: string;
  readonly shape: Shape;
  readonly ending: Ending;
  readonly definition: FlowDefinition;
  /** It has steps of other kinds than commands and groups. */
  readonly isProgram: boolean;
  /** Flows that its task has started. */
  readonly others: readonly FlowDefinition[];
  /** Name of the command that is last on the way forward. */
  readonly last: string;
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

/** The exceptions: in all other kinds the last command, `s1`, fails. */
const KIND_WAYS: Partial<Readonly<Record<KindShape, Pick<Case, 'ending' | 'last'>>>> = {
  // Its last command is never reached.
  succeed: { ending: 'succeeds', last: 's0' },
  // No command fails: the step itself does.
  fail: { ending: 'undone', last: 'k' },
};

/** All tasks of the model, the smallest first, then those with groups, then the other kinds. */
export const CASES: readonly Case[] = [
  ...(Object.keys(SHAPES) as (keyof typeof SHAPES)[]).flatMap((shape) => {
    const steps = SHAPES[shape].map((needs, index) => stepOf(index, needs));
    return ENDINGS.map((ending) => caseOf(shape, ending, steps));
  }),
  ...(Object.keys(GROUP_SHAPES) as GroupShape[]).flatMap((shape) => {
    const endings = isTriedAgain(shape) ? GROUP_ENDINGS : ENDINGS;
    return endings.map((ending) => caseOf(shape, ending, GROUP_SHAPES[shape]()));
  }),
  ...(Object.keys(KIND_SHAPES) as KindShape[]).map(kindCase),
  failureCase(),
];

function kindCase(shape: KindShape): Case {
  const { ending, last } = KIND_WAYS[shape] ?? { ending: 'undone', last: 's1' };
  const plain = caseOf(shape, ending, KIND_SHAPES[shape]());
  const child = { ...plain.definition, name: CHILD_FLOW, steps: [stepOf(0)] };
  const definition =
    shape === 'locks'
      ? { ...plain.definition, locks: [{ name: 'whole', slots: 1 }] }
      : plain.definition;
  return { ...plain, definition, isProgram: true, last, others: shape === 'flow' ? [child] : [] };
}

/** A task that is undone, and whose failure flow succeeds. */
function failureCase(): Case {
  const task = caseOf('failure-flow', 'undone', [stepOf(0)]);
  const { definition: report } = caseOf('failure-flow', 'succeeds', [
    { ...stepOf(1), name: 'report' },
  ]);
  const definition = { ...task.definition, failureFlow: REPORT_FLOW };
  return { ...task, definition, others: [{ ...report, name: REPORT_FLOW }] };
}

/** The case of that name; throws where there is none. */
export function findCase(name: string): Case {
  const found = CASES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

/** Whether the last command lies in a group that is tried again. */
function isTriedAgain(shape: GroupShape): boolean {
  return shape === 'group-again' || shape === 'nested';
}

function caseOf(shape: Shape, ending: Ending, steps: readonly StepPlan[]): Case {
  const definition = { name: shape, description: null, input: null, timeoutMs: null, steps };
  const last = `s${actionsIn(steps).length / 2 - 1}`;
  return {
    name: `${shape}/${ending}`,
    shape,
    ending,
    definition,
    last,
    isProgram: false,
    others: [],
  };
}

function stepOf(index: number, needs: readonly number[] = []): StepPlan {
  const { back, forward } = MODULES[index]!;
  const normal = { ...actionOf(forward, 'do', WAITS), onCrash: RESTART };
  // A rollback that is lost with its process: started again, or a person's.
  const onCrash: CrashPolicy = index === 0 ? RESTART : 'fail';
  const rollback = { ...actionOf(back, 'undo', AT_ONCE), onCrash };
  return { name: `s${index}`, needs, normal, rollback };
}

function groupOf(
  name: string,
  group: readonly StepPlan[],
  policy: Pick<RetryPolicy, 'attempts' | 'backoff' | 'delayMs'>,
): StepOf<'group'> {
  const retry: RetryPolicy = { ...policy, maxDelayMs: null, jitter: false };
  return { name, needs: [], group, retry, timeoutMs: null };
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
