import type {
  Action,
  CatchClause,
  FlowDefinition,
  StepOf,
  KindName,
  RetryPolicy,
  StepPlan,
} from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';
import { ProgramKinds } from './program-kinds.js';

/** Steps that hold steps lie in each other down to this depth, those of child tasks included. */
const DEPTH_MAX = 4;

/** Most steps of one flow, so that a history is not much longer than others. */
const STEPS_MAX = 12;

/** Parameters of such flows' requests: the values of the conditions in them. */
export const PROGRAM_PARAMETERS = { yes: true, no: false } as const;

/** The signal that waits wait for. */
export const SIGNAL = 'go';

/** Makes the commands of a program, and what waits between attempts. */
export interface ActionMaker {
  readonly action: (command: 'do' | 'undo') => Action;
  readonly retry: () => RetryPolicy;
}

/** Flows that others run as child tasks. */
export const CHILD_FLOWS = ['child-0', 'child-1'] as const;

/** Members of every step of a list. */
interface Head {
  readonly name: string;
  readonly needs: readonly number[];
}

/** How a program is drawn. */
export interface ProgramTerms {
  readonly maker: ActionMaker;
  /** Others run it: it has no child tasks of other flows. Default: it is nobody's. */
  readonly isChild?: boolean;
  /** The kinds of its steps besides commands; null: all. */
  readonly kinds: readonly KindName[] | null;
}

/** A flow of steps of all kinds, or of some. */
export function randomProgram(
  random: SeededRandom,
  name: string,
  terms: ProgramTerms,
): FlowDefinition {
  const steps = new RandomProgram(random, terms).list(0);
  const onFailure = random.pick([
    'rollback',
    'rollback',
    'rollback',
    { holdMs: null },
    { holdMs: 6_000 },
  ] as const);
  const timeoutMs = random.pick([null, null, null, null, 40_000]);
  const output = random.next() < 0.15 ? { output: { is: '{% yes %}' } } : {};
  return { name, description: null, input: null, timeoutMs, onFailure, ...output, steps };
}

/** Draws the steps of one flow; no two of them have one name. */
class RandomProgram {
  private left = STEPS_MAX;
  private count = 0;
  /** As deep as can be, or as it comes. */
  private readonly nesting: number;
  private readonly kinds: ProgramKinds;
  private readonly maker: ActionMaker;
  /** The flows that its steps may run as child tasks. */
  private readonly called: readonly string[];

  constructor(
    private readonly random: SeededRandom,
    { isChild = false, kinds, maker }: ProgramTerms,
  ) {
    this.nesting = random.pick([0.3, 0.5, 0.8]);
    this.kinds = new ProgramKinds(kinds, isChild);
    this.maker = maker;
    this.called = isChild ? [] : CHILD_FLOWS;
  }

  list(depth: number): readonly StepPlan[] {
    const { random } = this;
    const most = depth === 0 ? 4 : 3;
    const count = Math.max(1, Math.min(random.between(1, most), this.left));
    const isChain = random.next() < 0.7;
    return Array.from({ length: count }, (_, index) => {
      const before = Array.from({ length: index }, (_none, at) => at);
      const needs = isChain ? before.slice(-1) : before.filter(() => random.next() < 0.5);
      return this.step({ name: `s${this.count++}`, needs }, depth);
    });
  }

  private step(head: Head, depth: number): StepPlan {
    const isHolder = depth < DEPTH_MAX && this.left > 1 && this.random.next() < this.nesting;
    this.left -= 1;
    const step = isHolder && this.kinds.hasHolders ? this.holder(head, depth) : this.leaf(head);
    return this.decorated(step, depth);
  }

  /** A condition, what forgives it, or that it is a point of no return. */
  private decorated(step: StepPlan, depth: number): StepPlan {
    const { random } = this;
    const drawn = random.next();
    if (drawn < 0.06) return { ...step, if: random.pick(['{% yes %}', '{% no %}']) };
    if (drawn < 0.14) return { ...step, optional: true };
    if (drawn < 0.28 && this.left > 0) return { ...step, catch: [this.clause(depth)] };
    if (drawn < 0.33) return { ...step, pivot: true };
    return step;
  }

  private clause(depth: number): CatchClause {
    const errors = this.random.pick([['*'], ['*'], ['FAILED'], ['TIMED_OUT', 'LEASE_LOST']]);
    const steps = this.list(depth + 1);
    return { errors, as: this.random.pick([null, 'error']), steps };
  }

  private leaf(head: Head): StepPlan {
    const { random } = this;
    switch (this.kinds.leaf(random)) {
      case 'normal':
        return { ...head, normal: this.maker.action('do'), rollback: this.undo() };
      case 'wait':
        return { ...head, wait: this.wait(), rollback: this.undo() };
      case 'approve':
        return { ...head, approve: this.approval(), rollback: this.undo() };
      case 'set':
        return { ...head, set: { yes: true }, rollback: this.undo() };
      case 'succeed':
        return { ...head, succeed: { output: null } };
      default:
        return { ...head, fail: { code: random.pick(['FAILED', 'QUOTA']), message: 'no' } };
    }
  }

  private undo(): Action | null {
    return this.random.next() < 0.8 ? this.maker.action('undo') : null;
  }

  private wait(): StepOf<'wait'>['wait'] {
    const { random } = this;
    if (random.next() < 0.4) return { for: random.between(1, 3_000) };
    const timeoutMs = random.pick([null, 3_000, 20_000]);
    return { signal: SIGNAL, timeoutMs, onTimeout: random.pick(['fail', 'continue'] as const) };
  }

  private approval() {
    const timeoutMs = this.random.pick([null, 3_000, 20_000]);
    const onTimeout = this.random.pick(['fail', 'continue'] as const);
    return { title: 'may it?', roles: [], timeoutMs, onTimeout };
  }

  private holder(head: Head, depth: number): StepPlan {
    const { random } = this;
    const steps = (): readonly StepPlan[] => this.list(depth + 1);
    switch (this.kinds.holder(random)) {
      case 'group':
        return this.group(head, steps());
      case 'choice':
        return this.choice(head, steps);
      case 'parallel': {
        const onBranchFailure = random.pick(['cancel', 'wait'] as const);
        const parallel = ['a', 'b'].map((name) => ({ name, steps: steps() }));
        return { ...head, parallel, onBranchFailure };
      }
      case 'loop': {
        const until = random.pick(['{% $index > 0 %}', '{% $index > 1 %}', '{% yes %}']);
        const delay = random.pick([null, null, 300]);
        const max = random.pick([1, 2, 3, 3]);
        return { ...head, loop: { steps: steps(), while: null, until, max, delay } };
      }
      default:
        return this.children(head, depth + 1);
    }
  }

  private group(head: Head, group: readonly StepPlan[]): StepOf<'group'> {
    const { maker, random } = this;
    const timeoutMs = random.pick([null, null, null, 4_000, 40_000]);
    const retry = { ...maker.retry(), attempts: random.pick([1, 2, 2, 3]) };
    const values = random.pick([['x'], ['x', 'y']]);
    const isTried = random.next() < 0.25 && this.kinds.has('group');
    const tried = isTried ? { forEach: values, as: 'value' } : retry;
    return { ...head, group, retry: tried, timeoutMs };
  }

  private choice(head: Head, steps: () => readonly StepPlan[]): StepPlan {
    const when = this.random.pick(['{% yes %}', '{% yes %}', '{% no %}']);
    const otherwise = this.random.next() < 0.6 ? steps() : null;
    return { ...head, choice: [{ name: 'one', when, steps: steps() }], otherwise };
  }

  private children(head: Head, depth: number): StepPlan {
    const { called, kinds, random } = this;
    const isFlowAlone = !kinds.has('foreach') && called.length > 0;
    const none = isFlowAlone ? [] : [null, null];
    const flow = called.length === 0 ? null : random.pick([...none, ...called]);
    if (flow !== null && kinds.has('flow') && (random.next() < 0.5 || isFlowAlone)) {
      return {
        ...head,
        flow: { name: flow, version: null, parameters: { ...PROGRAM_PARAMETERS } },
      };
    }
    const count = random.pick([0, 1, 2, 3, 4]);
    const foreach = {
      in: Array.from({ length: count }, (_, index) => `item-${index}`),
      as: 'item',
      concurrency: random.pick([1, 2, 10]),
      successPercent: random.pick([100, 100, 50, 0]),
      steps: flow === null ? this.list(depth) : null,
      flow,
      parameters: flow === null ? null : { ...PROGRAM_PARAMETERS },
    };
    return { ...head, foreach };
  }
}
