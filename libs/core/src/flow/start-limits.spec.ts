import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { action, flow } from '#testing';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../../test/fuzz/budget.js';
import { bothLimits, fitsAny, refusalOfFlow, type StartLimits } from './start-limits.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING } from '../task/event.js';
import { taskFault } from '../stored/task-shape.js';

const patterns = fc.option(
  fc.uniqueArray(fc.constantFrom('a', 'a*', '*b', 'ab', '*'), { minLength: 1 }),
);
const starter = fc.record({ flows: patterns, modules: patterns });
const limits: fc.Arbitrary<StartLimits | undefined> = fc.option(
  fc.record(
    { starters: fc.array(starter, { minLength: 1, maxLength: 3 }), secretsUntil: fc.nat() },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const word = fc.constantFrom('a', 'ab', 'b', 'c');

const flows = fc.tuple(word, fc.array(word)).map(([name, modules]) => flowOf(name, modules));

function flowOf(name: string, modules: readonly string[]) {
  const steps = modules.map((module, at) => {
    return { name: `s${at}`, needs: [], normal: action(`${module}.c`), rollback: null };
  });
  return flow(steps, { name });
}

describe('limits of starters', () => {
  it(
    'allow a flow exactly if each of them fits its name and all of its modules',
    () => {
      fc.assert(
        fc.property(limits, word, fc.array(word, { maxLength: 3 }), (own, name, modules) => {
          const fits = (own?.starters ?? []).every((one) => {
            const isUsed = modules.every((module) => fitsAny(one.modules, module));
            return fitsAny(one.flows, name) && isUsed;
          });
          expect(refusalOfFlow(own, flowOf(name, modules)) === null).toBe(fits);
        }),
        fuzzBudget(2_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'allow together what each of them allows, and are no more for being joined again',
    () => {
      fc.assert(
        fc.property(limits, limits, flows, (one, other, asked) => {
          const both = bothLimits(one, other);
          const isAllowed = [one, other].every((each) => refusalOfFlow(each, asked) === null);
          expect(refusalOfFlow(both, asked) === null).toBe(isAllowed);
          const until = [one?.secretsUntil, other?.secretsUntil].filter((at) => at !== undefined);
          const first = until.length === 0 ? undefined : Math.min(...until);
          expect(both?.secretsUntil).toBe(first);
          const again = bothLimits(bothLimits(both, one), other);
          expect(again?.starters?.length).toBe(bothLimits(both, both)?.starters?.length);
        }),
        fuzzBudget(2_000),
      );
    },
    FUZZ_TIMEOUT_MS,
  );

  it('that are no limits are not read: they would be believed', () => {
    const moment = { now: 1_000_000, chance: 0.5, timing: DEFAULT_TIMING };
    const made = { definition: flowOf('a', ['m']), version: 1 };
    const { task } = createTask(made, { parameters: {} }, { taskId: 't', moment });
    const wrong = [7, { starters: {} }, { starters: [{}] }, { starters: [{ flows: 'a' }] }];
    for (const one of [...wrong, { secretsUntil: 'x' }]) {
      const read = { ...task, plan: { ...task.plan, limits: one as StartLimits } };
      expect([one, taskFault(read)]).toEqual([one, expect.stringContaining('plan.limits')]);
    }
    const right = { starters: [{ flows: ['a'], modules: null }], secretsUntil: 5 };
    expect(taskFault({ ...task, plan: { ...task.plan, limits: right } })).toBeNull();
  });
});
