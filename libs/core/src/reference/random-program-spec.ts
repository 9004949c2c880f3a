import * as fc from 'fast-check';
import { NO_RETRY } from '../flow/action.js';
import type { Action, RetryPolicy } from '../flow/action.js';
import type { CommandStep, FailurePolicy, StepPlan } from '../flow/flow.js';
import { type Program, START_MS } from './program-spec.js';

const DEPTH_MAX = 4;

const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom('none', 'fixed', 'exponential'),
  delayMs: fc.constantFrom(500, 1_000),
  maxDelayMs: fc.constantFrom(null, 1_500),
  jitter: fc.boolean(),
});

function actionOf(policy: RetryPolicy): Action {
  const rest = { attemptTimeoutMs: null, onCrash: { restarts: 3 }, parameters: null };
  return { module: 'm', command: 'go', timeoutMs: 9e12, retry: policy, ...rest };
}

/** None, or one with constants, or with what a step has given by then. */
function undoAt(index: number): fc.Arbitrary<Action | null> {
  const parameters = fc.constantFrom(null, { size: index }, { last: '{% last %}', yes: 2 });
  const own = { module: `m${index}`, command: `undo_${index}` };
  return fc.option(
    parameters.map((given) => ({ ...actionOf(NO_RETRY), ...own, parameters: given })),
    { freq: 3 },
  );
}

/** In a chain each step needs the one before it; else some of those before it. */
function stepAt(index: number, isChain: boolean): fc.Arbitrary<StepPlan> {
  const before = Array.from({ length: index }, (_, at) => at);
  const needs = isChain ? fc.constant(before.slice(-1)) : fc.subarray(before);
  return fc.record({ needs, policy: retry, rollback: undoAt(index) }).map((drawn) => {
    const { rollback } = drawn;
    return { name: `s${index}`, needs: drawn.needs, normal: actionOf(drawn.policy), rollback };
  });
}

/** Side by side, groups begin before it is their turn here, so that only chains have times. */
function groupAt(index: number, depth: number, isChain: boolean): fc.Arbitrary<StepPlan> {
  const time = fc.integer({ min: 1, max: 6_000 });
  const timeoutMs = isChain ? fc.option(time, { freq: 2 }) : fc.constant(null);
  return fc
    .record({ own: stepAt(index, isChain), group: listOf(depth - 1, isChain), retry, timeoutMs })
    .map(({ group, own: { name, needs }, ...rest }) => ({ name, needs, group, ...rest }));
}

function listOf(depth: number, isChain: boolean): fc.Arbitrary<readonly StepPlan[]> {
  const max = depth === DEPTH_MAX ? 4 : 3;
  return fc.integer({ min: 1, max }).chain((count) => {
    return fc.tuple(
      ...Array.from({ length: count }, (_, index) => {
        const step = stepAt(index, isChain);
        return depth === 0 ? step : fc.oneof(step, groupAt(index, depth, isChain));
      }),
    );
  });
}

/** Programs of commands and groups. */
export function programs(isChain: boolean): fc.Arbitrary<Program> {
  return fc.record({
    steps: listOf(DEPTH_MAX, isChain),
    seed: fc.nat(),
    luck: fc.constantFrom(70, 85, 95),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
  });
}

/** Which programs are drawn besides those of commands and groups. */
export interface Language {
  /** Groups with a time; without them, branches beside each other. */
  readonly isTimed: boolean;
  /** Child tasks as well, and waits although there are branches. Default: neither. */
  readonly hasChildren?: boolean;
}

const command = (index: number): fc.Arbitrary<CommandStep> => {
  return stepAt(index, true) as fc.Arbitrary<CommandStep>;
};

/** The members that every step of a chain has. */
interface Head {
  readonly name: string;
  readonly needs: readonly number[];
}

/** Any step of the language at a place of a chain. */
function anyStepAt(index: number, depth: number, language: Language): fc.Arbitrary<StepPlan> {
  const head = { name: `s${index}`, needs: index === 0 ? [] : [index - 1] };
  const leaf = fc.constantFrom(...LEAVES).map((own) => ({ ...head, ...own }));
  const leaves: fc.Arbitrary<unknown>[] = [command(index)];
  const { hasChildren = false, isTimed } = language;
  if (isTimed || hasChildren) leaves.push(command(index), command(index), leaf);
  if (depth > 0) leaves.push(...holdersAt(head, depth, language));
  return forgiven(fc.oneof(...leaves) as fc.Arbitrary<StepPlan>, depth, language);
}

function holdersAt(head: Head, depth: number, language: Language): fc.Arbitrary<unknown>[] {
  const inner = chainOf(depth - 1, language);
  const group = fc.record({ group: inner, retry, timeoutMs: timeOf(language) });
  const values = fc.constantFrom(['a'], ['a', 'b'], ['a', 'b', 'c']);
  const tried = fc.tuple(group, values).map(([own, list]) => {
    return { ...own, retry: { forEach: list, as: 'value' } };
  });
  const cases = fc.record({ isTaken: fc.boolean(), one: inner, other: fc.option(inner) });
  const choice = cases.map(({ isTaken, one, other }) => {
    const when = isTaken ? '{% yes %}' : '{% no %}';
    return { choice: [{ name: 'one', when, steps: one }], otherwise: other };
  });
  const body = fc.record({ steps: inner, enough: fc.nat(2), max: fc.integer({ min: 1, max: 4 }) });
  const loop = body.map(({ enough, max, steps }) => {
    const delay = enough === 1 ? 700 : null;
    return { loop: { steps, while: null, until: `{% $index > ${enough} %}`, max, delay } };
  });
  // The question is asked for the condition beside it: the steps themselves stand there.
  const made = inner.map((steps) => ({ dynamic: { steps }, if: '{% yes %}' }));
  const own = [
    group,
    tried,
    choice,
    loop,
    made,
    ...childrenOf(listBegunAt(depth - 1, language), language),
  ];
  const all = language.isTimed ? own : [...own, branchesAt(depth, language)];
  return all.map((arbitrary) => arbitrary.map((members) => ({ ...head, ...(members as object) })));
}

/** A list of what begins at once: the first is a command, which waits for its turn. */
function listBegunAt(depth: number, language: Language): fc.Arbitrary<readonly StepPlan[]> {
  const drawn = fc.tuple(command(0), fc.option(anyStepAt(1, depth, language)));
  return drawn.map(([first, more]) => (more === null ? [first] : [first, more]));
}

function childrenOf(
  inner: fc.Arbitrary<readonly StepPlan[]>,
  { hasChildren = false }: Language,
): fc.Arbitrary<object>[] {
  if (!hasChildren) return [];
  const terms = {
    in: fc.constantFrom([1], [1, 2], [1, 2, 3]),
    as: fc.constant('item'),
    concurrency: fc.integer({ min: 1, max: 3 }),
    successPercent: fc.constantFrom(100, 100, 50, 0),
    parameters: fc.constantFrom(null, { given: 1 }),
  };
  const parts = fc.record({ ...terms, steps: inner, flow: fc.constant(null) });
  // Of another flow: nothing is inherited.
  const parameters = fc.constantFrom({ yes: true, no: false }, { yes: false, no: true });
  const called = { steps: fc.constant(null), flow: fc.constant('called'), parameters };
  const flows = fc.record({ ...terms, ...called });
  const one = parameters.map((given) => ({ name: 'called', version: null, parameters: given }));
  const each = [parts, parts, flows].map((items) => items.map((foreach) => ({ foreach })));
  return [...each, one.map((flow) => ({ flow }))];
}

const UNDO = actionOf(NO_RETRY);
const LIMITS = [
  { timeoutMs: 900, onTimeout: 'fail' },
  { timeoutMs: 1_100, onTimeout: 'continue' },
] as const;

const LEAVES = [
  { wait: { for: 800 }, rollback: null },
  { wait: { for: 700 }, rollback: UNDO },
  { wait: { until: START_MS + 4_000 }, rollback: UNDO },
  { set: { a: 1 }, rollback: null },
  { set: { a: 1 }, rollback: UNDO },
  { fail: { code: 'QUOTA', message: 'no' } },
  { succeed: { output: null } },
  ...LIMITS.flatMap((limit) => [
    { wait: { signal: 'go', ...limit }, rollback: UNDO },
    { approve: { title: 'may it?', roles: [], ...limit }, rollback: UNDO },
  ]),
] as const;

function timeOf({ isTimed }: Language): fc.Arbitrary<number | null> {
  return isTimed ? fc.option(fc.integer({ min: 1, max: 6_000 }), { freq: 2 }) : fc.constant(null);
}

function branchesAt(depth: number, language: Language): fc.Arbitrary<unknown> {
  const lists = fc.array(listBegunAt(depth - 1, language), { minLength: 1, maxLength: 3 });
  const onBranchFailure = fc.constantFrom('cancel', 'wait');
  return fc.record({ lists, onBranchFailure }).map((own) => {
    const parallel = own.lists.map((list, n) => ({ name: `b${n}`, steps: list }));
    return { parallel, onBranchFailure: own.onBranchFailure };
  });
}

/** The step, mostly as it is, else with a condition, optional, or caught. */
function forgiven(
  step: fc.Arbitrary<StepPlan>,
  depth: number,
  language: Language,
): fc.Arbitrary<StepPlan> {
  const clause = fc.record({
    errors: fc.constantFrom(
      ['NO_HOST', 'CHILD_FAILED'],
      ['QUOTA', 'REJECTED', 'CHILDREN_FAILED'],
      ['TIMED_OUT', 'LOOP_LIMIT'],
      ['*'],
    ),
    as: fc.constantFrom(null, 'error'),
    steps: depth === 0 ? command(0).map((only) => [only]) : chainOf(depth - 1, language),
  });
  const more = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom({ if: '{% yes %}' }, { if: '{% no %}' }) },
    { weight: 1, arbitrary: fc.constant({ optional: true } as const) },
    { weight: 1, arbitrary: fc.constant({ pivot: true } as const) },
    {
      weight: 2,
      arbitrary: fc.array(clause, { minLength: 1, maxLength: 2 }).map((all) => ({ catch: all })),
    },
  );
  return fc.tuple(step, more).map(([own, added]): StepPlan => ({ ...own, ...added }));
}

function chainOf(depth: number, language: Language): fc.Arbitrary<readonly StepPlan[]> {
  return fc.integer({ min: 1, max: 3 }).chain((count) => {
    const places = Array.from({ length: count }, (_, index) => index);
    return fc.tuple(...places.map((index) => anyStepAt(index, Math.max(0, depth), language)));
  });
}

/** A chain in which child tasks stand among other steps. */
function familyOf(language: Language): fc.Arbitrary<readonly StepPlan[]> {
  const head = { name: 's1', needs: [0] };
  const holders = childrenOf(listBegunAt(1, language), language);
  const parent = fc.oneof(...holders).map((own) => ({ ...head, ...own }) as unknown as StepPlan);
  return fc.tuple(anyStepAt(0, 1, language), parent, anyStepAt(2, 1, language));
}

/** Programs of the whole language. */
export function programsIn(language: Language): fc.Arbitrary<Program> {
  const { hasChildren = false } = language;
  const called = listBegunAt(1, { isTimed: false });
  const onFailure = fc.constantFrom<FailurePolicy>('rollback', 'rollback', { holdMs: null });
  return fc.record({
    steps: hasChildren ? familyOf(language) : chainOf(3, language),
    seed: fc.nat(),
    luck: fc.constantFrom(70, 85, 95),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
    ...(hasChildren && { called, onFailure, luck: fc.constantFrom(95, 99, 100) }),
  });
}
