import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { answerPlainly } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { mergeParameters } from '../json/json.js';
import type { Program } from '../reference/program-spec.js';
import { type PlayedUndo, QuietCore } from '../reference/quiet-core-spec.js';
import { type Language, programsIn } from '../reference/random-program-spec.js';
import { type CommandUndo, rollbackPlan } from './rollback-plan.js';
import { runIdOf } from '../scopes/run-id.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const PERSON = { actor: 'p', reason: 'r', key: null } as const;

function quietOf(program: Program): QuietCore {
  return new QuietCore(program, ({ members, scene }) => answerPlainly(members, scene));
}

/** An undo as it is planned, with the values of its expressions. */
function calledWith({ answerTo, task }: QuietCore, undo: CommandUndo): PlayedUndo {
  const { action, parameters, place, question } = undo;
  const answer = question && answerTo(question);
  const values = answer !== null && 'values' in answer ? answer.values['parameters'] : {};
  return {
    taskId: task.plan.taskId,
    id: runIdOf(task, place),
    module: action.module,
    command: action.command,
    parameters: mergeParameters([parameters, values as object as never]),
  };
}

/** The undos of a task and of the child tasks below it; null: it would not go back all the way. */
function planOf(core: QuietCore, isByParent = false): readonly PlayedUndo[] | null {
  const terms = { max: 10_000, isByParent };
  const { obstacle, undos } = rollbackPlan(core.task, core.moment(), terms);
  if (obstacle !== null) return null;
  const all = undos.map((undo) => {
    if (undo.action !== null) return [calledWith(core, undo)];
    const below = core.children.inOrder(undo.run).map((child) => planOf(child, true));
    return below.includes(null) ? null : below.flatMap((plan) => plan ?? []);
  });
  return all.includes(null) ? null : all.flatMap((plan) => plan ?? []);
}

/** How a task stands when somebody asks for its rollback. */
type Moment = 'held' | 'paused' | 'succeeded' | 'waiting' | 'under way';

/** Asks for the plan of a program after so many things were done, or where it comes to rest. */
class Asked {
  readonly core: QuietCore;
  moment: Moment | null = null;
  plan: readonly PlayedUndo[] | null = null;

  constructor(program: Program, turns: number, isPaused: boolean) {
    this.core = quietOf(program);
    const { core } = this;
    for (let turn = 0; turn < turns && this.isUnderWay(); turn += 1) core.step();
    const { outcome, way } = core.task;
    if (way === 'back' || (outcome !== null && outcome !== 'succeeded')) return;
    if (isPaused && this.isUnderWay()) core.apply({ kind: 'pause_requested', ...PERSON });
    this.moment = this.momentNow();
    this.plan = planOf(core);
  }

  private isUnderWay(): boolean {
    const { hold, outcome, way } = this.core.task;
    return outcome === null && hold === null && way === 'forward';
  }

  private momentNow(): Moment {
    const { hold, outcome, paused, runs } = this.core.task;
    if (outcome !== null) return 'succeeded';
    if (hold !== null) return 'held';
    if (paused !== null) return 'paused';
    return runs.some(({ normal }) => normal.state === 'waiting') ? 'waiting' : 'under way';
  }

  /** The undos that then run. */
  goBack(): readonly PlayedUndo[] {
    const { core } = this;
    const from = core.family.undone.length;
    const kind = core.task.outcome === null ? 'rollback_requested' : 'undo_requested';
    core.apply({ kind: 'resume_requested', ...PERSON });
    core.apply({ kind, ...PERSON });
    expect(core.run()).toBe('rolled_back');
    return core.family.undone.slice(from);
  }
}

/** Of so many programs, not all of which come to where there is a plan. */
const RUNS = 2_500;

/** The share of them with a plan that every property compares, at the least. */
const COMPARED_MIN = 0.4;

describe('what a rollback would undo', () => {
  const LANGUAGES: [string, Language][] = [
    ['with times', { isTimed: true }],
    ['with branches', { isTimed: false }],
  ];

  it.each(LANGUAGES)('is what it does undo while a command runs, %s', (_, language) => {
    let compared = 0;
    const stopped = programsIn(language).map((program): Program => {
      return { ...program, backLuck: 100, luck: 98, stopAt: 1 + (program.seed % 5) };
    });
    const property = fc.property(stopped, (program) => {
      const core = quietOf(program);
      core.run();
      if (core.plan === null) return;
      compared += 1;
      const undone = core.log.slice(core.plannedAt).filter((line) => line.startsWith('-'));
      expect(core.plan).toEqual(undone);
    });
    const budget = fuzzBudget(RUNS);
    fc.assert(property, budget);
    expect(compared).toBeGreaterThan(Math.floor(COMPARED_MIN * budget.numRuns));
  });

  it('is what it and its child tasks do undo, with what each is called, at any moment', () => {
    const moments = new Map<Moment, number>();
    let withChildren = 0;
    const language = { isTimed: false, hasChildren: true };
    const family = programsIn(language).map((program): Program => ({ ...program, backLuck: 100 }));
    const turns = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.constant(5_000));
    const property = fc.property(family, turns, fc.boolean(), (...drawn) => {
      const asked = new Asked(...drawn);
      const { moment, plan } = asked;
      if (moment === null || plan === null) return;
      expect(asked.goBack()).toEqual(plan);
      moments.set(moment, (moments.get(moment) ?? 0) + 1);
      if (plan.some(({ taskId }) => taskId !== 't')) withChildren += 1;
    });
    const budget = fuzzBudget(RUNS);
    fc.assert(property, budget);
    const counts = [...moments.values()];
    const compared = counts.reduce((sum, count) => sum + count, 0);
    expect(compared).toBeGreaterThan(Math.floor(COMPARED_MIN * budget.numRuns));
    expect(withChildren).toBeGreaterThan(budget.numRuns / 10);
    expect([...moments.keys()].sort()).toEqual([
      'held',
      'paused',
      'succeeded',
      'under way',
      'waiting',
    ]);
  });
});
