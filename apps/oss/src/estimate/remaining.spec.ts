import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  DEFAULT_TIMING,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type StepPlan,
  type StepRuns,
  type Task,
  UNDO_PENDING,
} from '#core';
import { rollbackPlan } from '#core/read';
import { createTask } from '#core/transitions';
import { action, chain, flow } from '#testing';
import { fuzzBudget, FUZZ_TIMEOUT_MS } from '../../../../test/fuzz/budget.js';
import { type Past, remainingBack, remainingForward } from './remaining.js';
import { timesOf } from './step-times.js';

const START = 1_800_000_000_000;
const TIMING = { now: START, chance: 0.5, timing: DEFAULT_TIMING };

/** How long each step waits for a place and then runs, in milliseconds. */
type Lengths = readonly (readonly [wait: number, run: number])[];

interface Span {
  readonly ready: number;
  readonly start: number;
  readonly end: number;
}

function fresh(steps: readonly StepPlan[]): Task {
  const given = { taskId: 't', moment: TIMING };
  return createTask({ definition: flow(steps), version: 1 }, { parameters: {} }, given).task;
}

/** When each step is ready, starts and ends; `before`: what each of them waits for. */
function spansOf(before: readonly (readonly number[])[], lengths: Lengths, order: number[]) {
  const spans: Span[] = [];
  for (const place of order) {
    const ready = Math.max(START, ...(before[place] ?? []).map((need) => spans[need]?.end ?? 0));
    const [wait = 0, run = 0] = lengths[place] ?? [];
    spans[place] = { ready, start: ready + wait, end: ready + wait + run };
  }
  return spans;
}

function runAt({ end, ready, start }: Span, at: number) {
  if (at >= end) return { ...PENDING_RUN, state: 'succeeded', startedAt: start, endedAt: end };
  const lease = { owner: 'p1', token: 1 };
  if (at >= start) return { ...PENDING_RUN, state: 'running', startedAt: start, lease };
  return at >= ready ? { ...PENDING_RUN, state: 'queued' } : PENDING_RUN;
}

/** A task of these steps as it stands at a moment on its way forward. */
function forwardAt(steps: readonly StepPlan[], lengths: Lengths, at: number) {
  const order = [...steps.keys()];
  const spans = spansOf(
    steps.map(({ needs }) => needs),
    lengths,
    order,
  );
  const end = Math.max(...spans.map((span) => span.end));
  const runs = spans.map((span) => {
    return { generation: 1, normal: runAt(span, at), rollback: NOTHING_TO_UNDO } as StepRuns;
  });
  const task = fresh(steps);
  const outcome = at >= end ? ('succeeded' as const) : null;
  return { end, task: { ...task, runs, outcome } satisfies Task };
}

/** The same of a task all of whose steps are undone. */
function backAt(steps: readonly StepPlan[], lengths: Lengths, at: number) {
  const order = [...steps.keys()].reverse();
  const before = steps.map((_, place) => {
    return order.filter((other) => steps[other]?.needs.includes(place));
  });
  const spans = spansOf(before, lengths, order);
  const end = Math.max(...spans.map((span) => span.end));
  const normal = { ...PENDING_RUN, state: 'succeeded', attempts: 1, startedAt: 0, endedAt: 0 };
  const runs = spans.map((span) => {
    const undo = runAt(span, at);
    const rollback = undo === PENDING_RUN ? UNDO_PENDING : undo;
    return { generation: 1, normal, rollback } as StepRuns;
  });
  const turned = { at: START, why: 'requested', message: '', cause: null, to: null, by: 'ann' };
  const task = { ...fresh(steps), runs, way: 'back', turned, hold: null } as Task;
  return { end, task: { ...task, outcome: at >= end ? 'rolled_back' : null } as Task };
}

const pastOf = (tasks: readonly Task[]): Past => ({
  flowVersion: 1,
  tasks: tasks.map((task) => timesOf(task)).filter((times) => times !== null),
});

const LENGTH = fc.tuple(fc.nat(5_000), fc.integer({ min: 1, max: 60_000 }));
const LENGTHS = fc.array(LENGTH, { minLength: 6, maxLength: 6 });

/** Up to six steps, each of which needs some of those before it. */
const STEPS = fc.array(fc.nat(63), { minLength: 1, maxLength: 6 }).map((masks) => {
  return masks.map((mask, place): StepPlan => {
    const needs = Array.from({ length: place }, (_, n) => n).filter((n) => (mask >> n) & 1);
    const name = `s${place}`;
    return { name, needs, normal: action(`m.${name}`), rollback: action(`m.undo_${name}`) };
  });
});

describe('what is left of a task', () => {
  it(
    'forward is what it was of others, wherever the task stands, if it is like them',
    () => {
      const part = fc.double({ min: 0, max: 0.999, noNaN: true });
      const property = fc.property(STEPS, LENGTHS, part, (steps, lengths, how) => {
        const { end, task: old } = forwardAt(steps, lengths, Infinity);
        const now = START + Math.floor((end - START) * how);
        const { task } = forwardAt(steps, lengths, now);
        const left = remainingForward({ task, now, past: pastOf([old, old, old]) });
        expect(left).toMatchObject({ p50Ms: end - now, p95Ms: end - now, tasks: 3, unknown: [] });
        expect(left.uncounted).toEqual([]);
      });
      fc.assert(property, fuzzBudget(300));
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'back is what it was of others, wherever the task stands, if it is like them',
    () => {
      const part = fc.double({ min: 0, max: 0.999, noNaN: true });
      const property = fc.property(STEPS, LENGTHS, part, (steps, lengths, how) => {
        const { end, task: old } = backAt(steps, lengths, Infinity);
        const now = START + Math.floor((end - START) * how);
        const { task } = backAt(steps, lengths, now);
        const { undos } = rollbackPlan(task, { ...TIMING, now }, { max: 100 });
        const left = remainingBack({ task, now, past: pastOf([old, old, old]) }, undos);
        expect(left).toMatchObject({ p50Ms: end - now, p95Ms: end - now, tasks: 3, unknown: [] });
      });
      fc.assert(property, fuzzBudget(300));
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'ends within the p95 in nine of ten cases, and within the p50 in four of ten',
    () => {
      const histories = fc.array(LENGTHS, { minLength: 41, maxLength: 41 });
      const part = fc.double({ min: 0, max: 0.9, noNaN: true });
      const asked = fuzzBudget(1_500);
      // With fewer, chance alone could miss a part of ten.
      const budget = { ...asked, numRuns: Math.max(1_500, asked.numRuns) };
      const cases = fc.sample(fc.tuple(STEPS, histories, part), budget);
      let late = 0;
      let inHalf = 0;
      let inMost = 0;
      for (const [steps, [own = [], ...others], how] of cases) {
        const { end } = forwardAt(steps, own, Infinity);
        const now = START + Math.floor((end - START) * how);
        const olds = others.map((lengths) => forwardAt(steps, lengths, Infinity).task);
        const { task } = forwardAt(steps, own, now);
        const left = remainingForward({ task, now, past: pastOf(olds) });
        // A step that takes longer than it ever did is said to be, and its end is nobody's guess.
        if (left.uncounted.length > 0) late += 1;
        else if (end - now <= (left.p50Ms ?? -1)) inHalf += 1;
        if (left.uncounted.length === 0 && end - now <= (left.p95Ms ?? -1)) inMost += 1;
        expect(left.p50Ms).toBeLessThanOrEqual(left.p95Ms ?? -1);
      }
      const told = cases.length - late;
      const seen = { seed: budget.seed, late, inHalf: inHalf / told, inMost: inMost / told };
      const isGood = seen.inHalf >= 0.4 && seen.inMost >= 0.9 && late < cases.length / 10;
      expect({ ...seen, isGood }).toEqual({ ...seen, isGood: true });
    },
    FUZZ_TIMEOUT_MS,
  );

  it('is not known of a step that no past task tells of, nor from fewer than three', () => {
    const { steps } = chain(['a', 'b']);
    const lengths: Lengths = [
      [0, 10],
      [0, 20],
    ];
    const old = forwardAt(steps, lengths, Infinity).task;
    const { task } = forwardAt(steps, lengths, START);
    const few = remainingForward({ task, now: START, past: pastOf([old, old]) });
    expect(few).toMatchObject({ p50Ms: null, p95Ms: null, tasks: 2 });
    const other = forwardAt(chain(['a']).steps, lengths, Infinity).task;
    const past = pastOf([other, other, other]);
    const left = remainingForward({ task, now: START, past });
    expect(left).toMatchObject({ p50Ms: null, p95Ms: null, unknown: ['b'] });
  });

  it('is not told by tasks that a person held up', () => {
    const { steps } = chain(['a']);
    const { task } = forwardAt(steps, [[0, 10]], Infinity);
    expect(timesOf({ ...task, doneActions: [{ key: null, action: 'pause', at: START }] })).toBe(
      null,
    );
    const back = backAt(steps, [[0, 10]], Infinity).task;
    const doneActions = [
      { key: null, action: 'pause', at: START - 2 },
      { key: null, action: 'rollback', at: START },
    ];
    expect(timesOf({ ...back, doneActions })?.back.get('a')).toBe(10);
  });

  it('leaves out waits for somebody, and says so', () => {
    const approve = { title: 'Sure?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
    const [a, c] = chain(['a', 'c']).steps as [StepPlan, StepPlan];
    const ask: StepPlan = { name: 'ask', needs: [0], rollback: null, approve };
    const steps = [a, ask, { ...c, needs: [1] } as StepPlan];
    const lengths: Lengths = [
      [0, 10],
      [0, 7_000],
      [0, 20],
    ];
    const old = forwardAt(steps, lengths, Infinity).task;
    const { task } = forwardAt(steps, lengths, START);
    const left = remainingForward({ task, now: START, past: pastOf([old, old, old]) });
    expect(left).toMatchObject({ p50Ms: 30, uncounted: [{ step: 'ask', why: 'approval' }] });
  });

  it('of a step that takes longer than ever is not counted', () => {
    const { steps } = chain(['a', 'b']);
    const old = forwardAt(
      steps,
      [
        [0, 10],
        [0, 20],
      ],
      Infinity,
    ).task;
    const now = START + 500;
    const { task } = forwardAt(
      steps,
      [
        [0, 1_000],
        [0, 20],
      ],
      now,
    );
    const left = remainingForward({ task, now, past: pastOf([old, old, old]) });
    expect(left).toMatchObject({ p50Ms: 20, uncounted: [{ step: 'a', why: 'late' }] });
  });

  it('is the rest of a wait whose end is known', () => {
    const steps: StepPlan[] = [{ name: 'w', needs: [], rollback: null, wait: { for: 5_000 } }];
    const task = fresh(steps);
    const left = remainingForward({ task, now: START + 2_000, past: pastOf([]) });
    expect(left).toMatchObject({ p50Ms: 3_000, p95Ms: 3_000, tasks: 0 });
  });
});
