import type { FlowDefinition, StepPlan } from '#core';
import { innerLists } from '#core/flow';
import type { Reach } from '#workshop/rehearsal';
import type { WrittenScenario } from './read-scenarios.js';
import { WantedScenarios } from './wanted-scenarios.js';

/** A way through a flow that no play of any scenario took. */
export interface UnreachedBranch {
  readonly flow: string;
  /** Names of the step and of those around it: `each/pick`. */
  readonly step: string;
  /** The way in words: `case large`. */
  readonly branch: string;
  /** A scenario to begin with, as a test file has it. */
  readonly scenario: WrittenScenario;
}

/** A branch of one step, and what a scenario needs to take it, as far as that can be told. */
interface Branch {
  readonly branch: string;
  readonly members: WrittenScenario;
}

/**
 * The branches of a flow that no play took, those with failures included. A branch within
 * such a branch is left out: it comes with the other.
 */
export function unreachedBranches(
  definition: FlowDefinition,
  reach: Reach,
): readonly UnreachedBranch[] {
  const finder = new BranchFinder(reach, new WantedScenarios(definition));
  return finder.within(definition.steps, '').map(({ branch, members, step }) => {
    return {
      flow: definition.name,
      step,
      branch,
      scenario: { name: `${step}: ${branch}`, ...members },
    };
  });
}

class BranchFinder {
  constructor(
    private readonly reach: Reach,
    private readonly wanted: WantedScenarios,
  ) {}

  within(
    steps: readonly StepPlan[],
    around: string,
  ): readonly (Branch & { readonly step: string })[] {
    return steps.flatMap((step) => {
      const path = `${around}${step.name}`;
      const own = [...this.#branchesOf(step)].map((one) => ({ ...one, step: path }));
      const lists = innerLists(step).filter((list) => this.#isReached(list));
      return [...own, ...lists.flatMap((list) => this.within(list, `${path}/`))];
    });
  }

  *#branchesOf(step: StepPlan): Generator<Branch> {
    const { reach, wanted } = this;
    const hasBegun = reach.has(step, 'begun');
    const { catch: clauses = [], foreach, if: condition = true, loop } = step;
    if (condition !== true && this.#isReached([step])) {
      const members = (isMet: boolean) => wanted.where(condition, isMet);
      if (!hasBegun) yield { branch: 'its condition holds', members: members(true) };
      if (!reach.has(step, 'skipped')) {
        yield { branch: 'its condition does not hold', members: members(false) };
      }
    }
    if (!hasBegun) return;
    yield* this.#casesOf(step);
    if (loop !== undefined && loop.max > 1 && !reach.has(step, 'again')) {
      yield { branch: 'a second round', members: wanted.anew() };
    }
    const own = foreach?.steps ?? null;
    if (foreach && own !== null && !this.#isReached(own)) {
      yield { branch: 'a child task', members: wanted.withItems(foreach.in) };
    }
    for (const [i, { errors }] of clauses.entries()) {
      if (reach.hasEntered(step, 'catch', i)) continue;
      yield { branch: `catch ${errors.join(', ')}`, members: wanted.failing(step, errors) };
    }
  }

  *#casesOf(step: StepPlan): Generator<Branch> {
    if (step.choice === undefined) return;
    const { choice, otherwise } = step;
    for (const [i, { name, when }] of choice.entries()) {
      if (this.reach.hasEntered(step, 'case', i)) continue;
      yield { branch: `case ${name}`, members: this.wanted.where(when, true) };
    }
    if (otherwise === null || this.reach.hasEntered(step, 'case', choice.length)) return;
    const [first] = choice;
    yield { branch: 'otherwise', members: this.wanted.where(first?.when ?? null, false) };
  }

  #isReached(steps: readonly StepPlan[]): boolean {
    return steps.some((step) => this.reach.has(step, 'begun') || this.reach.has(step, 'skipped'));
  }
}
