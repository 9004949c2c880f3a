import type { FlowDefinition, JsonObject, JsonValue, StepPlan } from '#core';
import { innerLists } from '#core/flow';
import type { Reach } from '#workshop/rehearsal';
import { sampleParameters, type WrittenScenario } from './read-scenarios.js';

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

/** A comparison of a parameter with a constant: `cpu > 8`, `$input.kind = "large"`. */
const COMPARISON =
  /(?:^|[^\w.$])(?:\$input\.)?([A-Za-z_]\w*)\s*(>=|<=|!=|>|<|=)\s*(-?\d+(?:\.\d+)?|"[^"]*"|'[^']*'|true|false)/;

/** A parameter alone, as a condition or a list. */
const NAME = /^\{%\s*(?:\$input\.)?([A-Za-z_]\w*)\s*%\}$/;

/** The comparisons that hold exactly where another one does not. */
const OPPOSITE: Readonly<Record<string, string>> = {
  '=': '!=',
  '!=': '=',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
};

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

/**
 * Scenarios of a flow to begin with. Each has the smallest parameters of the flow's `input`,
 * changed where a condition compares one of them with a constant: an author looks the rest over.
 */
class WantedScenarios {
  readonly #properties: JsonObject;

  constructor(private readonly definition: FlowDefinition) {
    this.#properties = objectOr(definition.input?.['properties']);
  }

  /** Nothing but parameters. */
  anew(): WrittenScenario {
    return this.#with({});
  }

  /** A condition holds, or does not. */
  where(condition: JsonValue, isMet: boolean): WrittenScenario {
    if (typeof condition !== 'string') return this.anew();
    const [, alone] = NAME.exec(condition) ?? [];
    if (alone !== undefined) return this.#with({ [alone]: isMet });
    const [, name = '', operator = '', constant = ''] = COMPARISON.exec(condition) ?? [];
    if (name === '') return this.anew();
    const wanted = isMet ? operator : (OPPOSITE[operator] ?? operator);
    return this.#with({ [name]: valueFor(wanted, valueOf(constant)) });
  }

  /** A list of items that has one. */
  withItems(items: JsonValue): WrittenScenario {
    const [, name] = typeof items === 'string' ? (NAME.exec(items) ?? []) : [];
    if (name === undefined) return this.anew();
    const schema = objectOr(this.#properties[name]);
    const wrapped = { required: ['item'], properties: { item: schema['items'] ?? {} } };
    return this.#with({ [name]: [sampleParameters(wrapped)['item'] ?? 'sample'] });
  }

  /** A step fails with the first of these errors. */
  failing(step: StepPlan, errors: readonly string[]): WrittenScenario {
    const [error = 'FAILED'] = errors;
    if (error === 'REJECTED') {
      const asking = stepsIn(step).find(({ approve }) => approve !== undefined);
      const approvals = asking && [{ step: asking.name, approve: false }];
      return { ...this.anew(), ...(approvals && { approvals }) };
    }
    const failing = stepsIn(step).find(({ flow, foreach, normal }) => normal ?? flow ?? foreach);
    const answers = failing && { [failing.name]: { error: error === '*' ? 'FAILED' : error } };
    return { ...this.anew(), ...(answers && { answers }) };
  }

  /** Only parameters that a request may have: others come from steps. */
  #with(changed: JsonObject): WrittenScenario {
    const { input } = this.definition;
    const known = Object.entries(changed).filter(([name]) => {
      return input === null || Object.hasOwn(this.#properties, name);
    });
    return { parameters: { ...sampleParameters(input), ...Object.fromEntries(known) } };
  }
}

/** A step and all in it, but for its catches. */
function stepsIn(step: StepPlan): readonly StepPlan[] {
  const caught = new Set((step.catch ?? []).map(({ steps }) => steps));
  const lists = innerLists(step).filter((list) => !caught.has(list));
  return [step, ...lists.flat().flatMap(stepsIn)];
}

function valueOf(constant: string): number | string | boolean {
  if (constant === 'true' || constant === 'false') return constant === 'true';
  return /^["']/.test(constant) ? constant.slice(1, -1) : Number(constant);
}

/** The simplest value that a comparison with a constant holds for. */
function valueFor(operator: string, constant: number | string | boolean): JsonValue {
  if (typeof constant === 'boolean') return operator === '!=' ? !constant : constant;
  if (typeof constant === 'string') return operator === '!=' ? `not ${constant}` : constant;
  if (operator === '>' || operator === '!=') return constant + 1;
  return operator === '<' ? constant - 1 : constant;
}

function objectOr(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
