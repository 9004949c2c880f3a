import type { Action, StepPlan } from '#core';
import { buildAction, buildRetry, type Half, inside, readDuration } from './build-action.js';
import type { Site } from './build-action.js';
import { buildLocks } from './build-locks.js';
import { type DefaultsByCommand, inherited, inheritedRollback } from './command-defaults.js';
import { examineAction } from './check-command.js';
import { buildApprove, buildSucceed, buildWait, durationOr } from './build-single.js';
import { kindOf, nameSteps, orderSteps } from './flow-steps.js';
import { type ListKind, listsIn } from './inner-lists.js';
import { clip } from './json-document.js';
import type { KnownCommands } from './known-commands.js';
import type { Finding, ProblemList } from './problem.js';
import type {
  WrittenAction,
  WrittenCatch,
  WrittenFlow,
  WrittenKind,
  WrittenOf,
  WrittenStep,
} from './written-flow.js';

/** A written flow and everything else that is needed to build it. */
export interface FlowSource {
  readonly name: string;
  readonly written: WrittenFlow;
  readonly site: Site;
  /** Where to say what the author should know of a flow that is sound otherwise. */
  readonly warnings: ProblemList;
  /** Absent: modules and commands are not checked. */
  readonly commands?: KnownCommands | undefined;
  /** Defaults that actions inherit from their commands; absent: none. */
  readonly defaults?: DefaultsByCommand | undefined;
}

/** How a step was written, and where. */
export interface Origin {
  readonly written: WrittenStep;
  readonly pointer: string;
}

/** Where each step of a definition comes from. */
export type Origins = Map<StepPlan, Origin>;

/** A list of steps, and where it stands. */
interface StepList {
  readonly steps: readonly WrittenStep[];
  readonly site: Site;
  readonly kind: ListKind;
}

type BuildSource = FlowSource & { readonly origins: Origins };

/** Input of the builder of one kind of step. */
interface Making<K extends WrittenKind> {
  readonly step: WrittenOf<K>;
  readonly site: Site;
  readonly source: BuildSource;
}

/** A step without what every kind has. */
type Content<K extends WrittenKind> = Omit<
  Extract<StepPlan, { readonly [N in K]: unknown }> & object,
  'name' | 'needs' | 'if' | 'optional' | 'catch' | 'pivot' | 'locks'
>;

/** Steps with every default filled in, and where each comes from. */
export function buildSteps(list: StepList, source: BuildSource): readonly StepPlan[] {
  const { kind, site, steps } = list;
  const isElsewhere = (name: string): boolean => isNamedIn(stepsOf(source.written), name);
  const place = { ...site, list: kind, isElsewhere };
  const names = nameSteps(steps, place);
  const needs = orderSteps(steps, names, place);
  return steps.map((step, i): StepPlan => {
    const at = inside(site, i);
    const { catch: clauses, if: condition, locks, optional, pivot } = step;
    const plan = {
      name: names[i] ?? '',
      needs: needs[i] ?? [],
      ...contentOf(kindOf(step), { step, site: at, source }),
      ...(condition !== undefined && { if: condition }),
      ...(optional === true && { optional }),
      ...(pivot === true && { pivot }),
      ...(locks !== undefined && { locks: buildLocks(locks, inside(at, 'locks')) }),
      ...(clauses !== undefined && { catch: buildClauses(clauses, inside(at, 'catch'), source) }),
    } as StepPlan;
    source.origins.set(plan, { written: step, pointer: at.pointer });
    return plan;
  });
}

/** The list of a flow's own steps. */
export function stepsOf(written: WrittenFlow): readonly WrittenStep[] {
  return 'length' in written ? written : written.steps;
}

/** Whether a step of the list, or of a list in its steps, is written with this name. */
function isNamedIn(steps: readonly WrittenStep[], name: string): boolean {
  return steps.some((step) => {
    if (step.name === name) return true;
    const lists = [...listsIn(step as never)];
    return lists.some((list) => isNamedIn(list.steps as never, name));
  });
}

function contentOf<K extends WrittenKind>(kind: K, making: Making<K>): Content<K> {
  return BUILDERS[kind](making);
}

const BUILDERS: { readonly [K in WrittenKind]: (making: Making<K>) => Content<K> } = {
  normal: ({ step, site, source }) => {
    const { normal, rollback = inheritedRollback(normal, source.defaults) } = step;
    return {
      normal: actionIn({ written: normal, half: 'normal', site }, source),
      rollback: rollbackIn(rollback, site, source),
    };
  },
  group: buildGroup,
  choice: buildChoice,
  parallel: buildParallel,
  loop: buildLoop,
  set: ({ step, site, source }) => ({
    set: step.set,
    rollback: rollbackIn(step.rollback, site, source),
  }),
  wait: ({ step, site, source }) => ({
    wait: buildWait(step.wait, inside(site, 'wait')),
    rollback: rollbackIn(step.rollback, site, source),
  }),
  approve: ({ step, site, source }) => ({
    approve: buildApprove(step.approve, inside(site, 'approve')),
    rollback: rollbackIn(step.rollback, site, source),
  }),
  succeed: ({ step }) => ({ succeed: buildSucceed(step.succeed) }),
  fail: ({ step: { fail } }) => ({ fail: { code: fail.code, message: fail.message } }),
  foreach: buildForeach,
  flow: ({ step: { flow } }) => {
    const { name, parameters = null, version = null } = flow;
    return { flow: { name, version, parameters } };
  },
  dynamic: ({ step: { dynamic } }) => ({ dynamic: { steps: dynamic.steps } }),
};

interface HalfPlace {
  readonly written: WrittenAction;
  readonly half: Half;
  /** Of the step. */
  readonly site: Site;
}

function actionIn({ written, half, site }: HalfPlace, source: FlowSource): Action {
  const { commands, defaults, warnings } = source;
  const { pointer, problems } = inside(site, half);
  const action = buildAction(inherited(written, defaults), half, { pointer, problems });
  if (commands === undefined) return action;
  const found = examineAction(action, half, commands);
  const at = (finding: Finding): Finding => ({ ...finding, pointer: pointer + finding.pointer });
  for (const problem of found.problems) problems.add(at(problem));
  for (const warning of found.warnings) warnings.add(at(warning));
  return action;
}

function rollbackIn(
  written: WrittenAction | null | undefined,
  site: Site,
  source: FlowSource,
): Action | null {
  if (written === undefined || written === null) return null;
  return actionIn({ written, half: 'rollback', site }, source);
}

function buildGroup({ step, site, source }: Making<'group'>): Content<'group'> {
  const { group, retry, timeout } = step;
  const each = typeof retry === 'object' && retry.forEach !== undefined ? retry : null;
  const policy = typeof retry === 'object' && retry.forEach !== undefined ? undefined : retry;
  return {
    group: buildSteps({ steps: group, site: inside(site, 'group'), kind: 'group' }, source),
    retry: buildRetry(policy, inside(site, 'retry')),
    ...(each !== null && { forEach: { in: each.forEach, as: each.as } }),
    timeoutMs: timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout')),
  };
}

function buildChoice({ step, site, source }: Making<'choice'>): Content<'choice'> {
  const { choice, otherwise } = step;
  const at = inside(site, 'choice');
  const names = choice.map(({ name }, i) => name ?? String(i + 1));
  for (const [i, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first !== i) reportCase(choice[i]?.name === undefined ? first : i, name, at);
  }
  return {
    choice: choice.map(({ when, steps }, i) => ({
      name: names[i] ?? '',
      when,
      steps: buildSteps({ steps, site: inside(inside(at, i), 'steps'), kind: 'case' }, source),
    })),
    otherwise:
      otherwise === undefined
        ? null
        : buildSteps({ steps: otherwise, site: inside(site, 'otherwise'), kind: 'case' }, source),
  };
}

function reportCase(i: number, name: string, site: Site): void {
  const { pointer, problems } = inside(inside(site, i), 'name');
  const message = `Another case of this choice is called \`${clip(name)}\` already.`;
  const hint = 'Give each case a name of its own; one without is called by its position, from 1.';
  problems.add({ pointer, code: 'DUPLICATE_CASE', message, hint });
}

function buildParallel({ step, site, source }: Making<'parallel'>): Content<'parallel'> {
  const at = inside(site, 'parallel');
  return {
    parallel: Object.entries(step.parallel).map(([name, steps]) => {
      return { name, steps: buildSteps({ steps, site: inside(at, name), kind: 'branch' }, source) };
    }),
    onBranchFailure: step.onBranchFailure ?? 'cancel',
  };
}

function buildLoop({ step, site, source }: Making<'loop'>): Content<'loop'> {
  const { delay, max, steps, until = null, while: again = null } = step.loop;
  const at = inside(site, 'loop');
  return {
    loop: {
      steps: buildSteps({ steps, site: inside(at, 'steps'), kind: 'loop' }, source),
      while: again,
      until,
      max,
      delay: delay === undefined ? null : durationOr(delay, inside(at, 'delay')),
    },
  };
}

/** Child tasks at a time where nothing is said. */
const CONCURRENCY = 10;

function buildForeach({ step, site, source }: Making<'foreach'>): Content<'foreach'> {
  const { foreach: written } = step;
  const at = inside(inside(site, 'foreach'), 'steps');
  const { concurrency = CONCURRENCY, flow = null, parameters = null, steps } = written;
  return {
    foreach: {
      in: written.in,
      as: written.as,
      concurrency,
      successPercent: written.successPercent ?? 100,
      steps: steps === undefined ? null : buildSteps({ steps, site: at, kind: 'foreach' }, source),
      flow,
      parameters,
    },
  };
}

function buildClauses(
  clauses: readonly WrittenCatch[],
  site: Site,
  source: BuildSource,
): NonNullable<StepPlan['catch']> {
  return clauses.map(({ as = null, errors, steps }, i) => {
    const at = inside(inside(site, i), 'steps');
    return { errors, as, steps: buildSteps({ steps, site: at, kind: 'catch' }, source) };
  });
}
