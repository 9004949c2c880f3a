import { expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { FlowRun } from '../../../test/fuzz/flow-run.js';
import { courseOf, type Failures } from '../../../test/fuzz/reference-flow.js';
import { COMMANDS, looseSteps } from '../../../test/fuzz/written-flows.js';
import type { KnownCommands } from './known-commands.js';
import { parseFlowFile } from './parse-flow-file.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const commands: KnownCommands = {
  modules: () => Object.keys(COMMANDS),
  commands: (module) => COMMANDS[module] ?? [],
};
const NO_FAILURES: Failures = { normal: [], rollback: [] };
const count = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 6 }));
const counts = fc.array(count, { minLength: 6, maxLength: 6 });
const failures: fc.Arbitrary<Failures> = fc.record({ normal: counts, rollback: counts });
/** The least number of tasks with each end, in a thousand flows. */
const PART = 10;

it('a flow is accepted exactly when it can be run, and runs as the page says, both ways', () => {
  const met = { refused: 0, succeeded: 0, rolled_back: 0, rollback_failed: 0 };
  const budget = fuzzBudget(3_000);
  fc.assert(
    fc.property(looseSteps, fc.boolean(), failures, (steps, isShort, failures) => {
      const written = isShort ? steps : { steps };
      const { flows, problems } = parseFlowFile(JSON.stringify({ f: written }), { commands });
      const isFlow = courseOf(steps, NO_FAILURES) !== null;
      if (isFlow) expect(problems).toEqual([]);
      const [flow] = flows;
      expect(flow !== undefined).toBe(isFlow);
      const course = flow && new FlowRun(flow.definition, failures).toTheEnd();
      expect(course ?? null).toEqual(courseOf(steps, failures));
      met[course?.end ?? 'refused'] += 1;
    }),
    budget,
  );
  if (budget.numRuns >= 500)
    expect(Math.min(...Object.values(met))).toBeGreaterThan((PART * budget.numRuns) / 1_000);
});
