import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { answerPlainly } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { NO_RETRY } from './action.js';
import type { Action, RetryPolicy } from './action.js';
import type { CommandStep, StepPlan } from './flow.js';
import { QuietCore } from './quiet-core-spec.js';
import { type Program, START_MS } from './program-spec.js';
import { ReferenceRun } from './reference-run-spec.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

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

/** In a chain each step needs the one before it; else some of those before it. */
function stepAt(index: number, isChain: boolean): fc.Arbitrary<StepPlan> {
  const before = Array.from({ length: index }, (_, at) => at);
  const needs = isChain ? fc.constant(before.slice(-1)) : fc.subarray(before);
  return fc.record({ needs, policy: retry, undo: fc.boolean() }).map((drawn) => {
    const rollback = drawn.undo ? actionOf(NO_RETRY) : null;
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

function programs(isChain: boolean): fc.Arbitrary<Program> {
  return fc.record({
    steps: listOf(DEPTH_MAX, isChain),
    seed: fc.nat(),
    luck: fc.constantFrom(70, 85, 95),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
  });
}

/** Which programs are drawn besides those of commands and groups. */
interface Language {
  /** Groups with a time; without them, branches beside each other. */
  readonly isTimed: boolean;
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
  if (language.isTimed) leaves.push(command(index), command(index), leaf);
  if (depth > 0) leaves.push(...holdersAt(head, depth, language));
  return forgiven(fc.oneof(...leaves) as fc.Arbitrary<StepPlan>, depth, language);
}

function holdersAt(head: Head, depth: number, language: Language): fc.Arbitrary<unknown>[] {
  const inner = chainOf(depth - 1, language);
  const group = fc.record({ group: inner, retry, timeoutMs: timeOf(language) });
  const values = fc.constantFrom(['a'], ['a', 'b'], ['a', 'b', 'c']);
  const tried = fc.tuple(group, values).map(([own, list]) => {
    return { ...own, forEach: { in: list, as: 'value' } };
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
  const own = [group, tried, choice, loop, made];
  const all = language.isTimed ? own : [...own, branchesAt(depth, language)];
  return all.map((arbitrary) => arbitrary.map((members) => ({ ...head, ...(members as object) })));
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

/** Branches begin at once, so each begins with a command that waits for its turn. */
function branchesAt(depth: number, language: Language): fc.Arbitrary<unknown> {
  const branch = fc.tuple(command(0), fc.option(anyStepAt(1, depth - 1, language)));
  const steps = branch.map(([first, more]) => (more === null ? [first] : [first, more]));
  const lists = fc.array(steps, { minLength: 1, maxLength: 3 });
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
    errors: fc.constantFrom(['NO_HOST'], ['QUOTA', 'REJECTED'], ['TIMED_OUT', 'LOOP_LIMIT'], ['*']),
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

function programsIn(language: Language): fc.Arbitrary<Program> {
  return fc.record({
    steps: chainOf(3, language),
    seed: fc.nat(),
    luck: fc.constantFrom(70, 85, 95),
    stopAt: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 3 }),
  });
}

function expectAlike(program: Program): void {
  const reference = new ReferenceRun(program);
  const core = new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
  const outcome = reference.run();
  // The longest that are compared; few come to as much.
  if (reference.log.length > 1_000) return;
  expect(core.run()).toBe(outcome);
  expect(core.log).toEqual(reference.log);
}

describe('what becomes of any program of the language', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programsIn({ isTimed: true }), expectAlike), fuzzBudget(3_000));
  });

  it('is what plain recursion over the steps comes to, with branches', () => {
    fc.assert(fc.property(programsIn({ isTimed: false }), expectAlike), fuzzBudget(3_000));
  });
});

describe('what a rollback would undo', () => {
  const always = (isTimed: boolean) => {
    return programsIn({ isTimed }).map((program): Program => ({ ...program, backLuck: 100 }));
  };

  it.each([[true], [false]])('is what it does undo, in that order (with times: %s)', (isTimed) => {
    const property = fc.property(always(isTimed), (program) => {
      const core = new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
      core.run();
      if (core.plan === null) return;
      const undone = core.log.slice(core.plannedAt).filter((line) => line.startsWith('-'));
      expect(core.plan).toEqual(undone);
    });
    fc.assert(property, fuzzBudget(1_000));
  });
});

describe('what becomes of groups in groups', () => {
  it('is what plain recursion over the steps comes to, with times', () => {
    fc.assert(fc.property(programs(true), expectAlike), fuzzBudget(1_500));
  });

  it('is what plain recursion over the steps comes to, where steps stand side by side', () => {
    fc.assert(fc.property(programs(false), expectAlike), fuzzBudget(1_500));
  });
});
