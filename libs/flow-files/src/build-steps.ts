import {
  type Action,
  hasExpression,
  planName,
  type RetryPolicy,
  type StepPlan,
  type TryEach,
} from '#core';
import type { LockPlan } from '#core/flow';
import { isLockName } from '#core/locks';
import { isExpression } from '#expressions';
import { CATCH, type Fields, KINDS, listsIn, mapObjects, type Member, type Members } from '#kinds';
import {
  buildAction,
  buildRetry,
  type Half,
  inside,
  readDuration,
  readMoment,
  type Site,
} from './build-action.js';
import { type DefaultsByCommand, inherited, inheritedRollback } from './command-defaults.js';
import { examineAction } from './check-command.js';
import { kindOf, nameSteps, orderSteps } from './flow-steps.js';
import { clip } from './read-json.js';
import type { KnownCommands } from './known-commands.js';
import type { Finding, ProblemList } from './problem.js';
import type {
  WrittenAction,
  WrittenDuration,
  WrittenFlow,
  WrittenLock,
  WrittenStep,
  WrittenTries,
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
  /** The word for it in messages. */
  readonly kind: string;
}

type BuildSource = FlowSource & { readonly origins: Origins };

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
      ...buildMembers(KINDS[kindOf(step)].members, step as unknown as Fields, { site: at, source }),
      ...(condition !== undefined && { if: condition }),
      ...(optional === true && { optional }),
      ...(pivot === true && { pivot }),
      ...(locks !== undefined && { locks: buildLocks(locks, inside(at, 'locks')) }),
      ...(clauses !== undefined && {
        catch: buildValue(CATCH, clauses, { site: inside(at, 'catch'), source }),
      }),
    } as unknown as StepPlan;
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
    const lists = [...listsIn(step)];
    return lists.some(({ steps: inner }) => isNamedIn(inner as readonly WrittenStep[], name));
  });
}

/** Something of a step that is written, and where. */
interface Making {
  readonly site: Site;
  readonly source: BuildSource;
}

/** Declared members as a plan has them. */
function buildMembers(members: Members, written: Fields, { site, source }: Making): Fields {
  const plan: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(members)) {
    const value = written[name] ?? inheritedUndo(member, written, source) ?? member.default ?? null;
    const isUnsaid = value === null && member.type !== 'tries';
    if (isUnsaid && member.optional === 'absent') continue;
    const at = { site: inside(site, name), source };
    plan[planName(name, member)] = isUnsaid ? null : buildValue(member, value, at);
  }
  return plan;
}

/** The rollback of a command that says nothing about one. */
function inheritedUndo({ type }: Member, written: Fields, { defaults }: FlowSource): unknown {
  const { normal, rollback } = written;
  if (type !== 'undo' || normal === undefined || rollback !== undefined) return undefined;
  return inheritedRollback(normal as WrittenAction, defaults);
}

function buildValue(member: Member, value: unknown, making: Making): unknown {
  const { site, source } = making;
  switch (member.type) {
    case 'steps':
      return buildSteps(
        { steps: value as readonly WrittenStep[], site, kind: member.list },
        source,
      );
    case 'branches':
      return Object.entries(value as Readonly<Record<string, readonly WrittenStep[]>>).map(
        ([name, steps]) => {
          const list = { steps, site: inside(site, name), kind: member.list };
          return { name, steps: buildSteps(list, source) };
        },
      );
    case 'object of':
      if (member.named === true) reportSameNames(value as readonly Fields[], site);
      return mapObjects(member, value, ({ at, fields, members }) => {
        const named = member.named === true ? { name: nameOf(fields, at[0]), ...fields } : fields;
        return buildMembers(members, named, { site: at.reduce(inside, site), source });
      });
    case 'action':
    case 'undo': {
      const half = member.type === 'undo' ? 'rollback' : 'normal';
      return actionIn({ written: value as WrittenAction, half, site }, source);
    }
    default:
      return buildScalar(member.type, value, site);
  }
}

function buildScalar(type: Member['type'], value: unknown, site: Site): unknown {
  switch (type) {
    case 'duration':
      return readDuration(value as WrittenDuration, site);
    case 'computedDuration':
      return isExpression(value) ? value : readDuration(value as WrittenDuration, site);
    case 'computedMoment':
      return readMoment(value as string | number, site);
    case 'tries':
      return buildTries(value as WrittenTries | null, site);
    default:
      return value;
  }
}

function buildTries(written: WrittenTries | null, site: Site): RetryPolicy | TryEach {
  if (typeof written !== 'object' || written === null)
    return buildRetry(written ?? undefined, site);
  if (!('forEach' in written)) return buildRetry(written, site);
  return { forEach: written.forEach, as: written.as };
}

/** The name of an entry: its position, from 1, where its author gave none. */
function nameOf({ name }: Fields, position = 0): string {
  return typeof name === 'string' ? name : String(position + 1);
}

function reportSameNames(entries: readonly Fields[], site: Site): void {
  const names = entries.map(nameOf);
  for (const [i, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first === i) continue;
    const at = inside(inside(site, entries[i]?.['name'] === undefined ? first : i), 'name');
    const message = `Another case of this choice is called \`${clip(name)}\` already.`;
    const hint = 'Give each case a name of its own; one without is called by its position, from 1.';
    at.problems.add({ pointer: at.pointer, code: 'DUPLICATE_CASE', message, hint });
  }
}

interface HalfPlace {
  readonly written: WrittenAction;
  readonly half: Half;
  readonly site: Site;
}

function actionIn({ written, half, site }: HalfPlace, source: FlowSource): Action {
  const { commands, defaults, warnings } = source;
  const { pointer, problems } = site;
  const action = buildAction(inherited(written, defaults), half, { pointer, problems });
  if (commands === undefined) return action;
  const found = examineAction(action, half, commands);
  const at = (finding: Finding): Finding => ({ ...finding, pointer: pointer + finding.pointer });
  for (const problem of found.problems) problems.add(at(problem));
  for (const warning of found.warnings) warnings.add(at(warning));
  return action;
}

/** Locks with every default filled in. */
export function buildLocks(locks: readonly WrittenLock[], site: Site): readonly LockPlan[] {
  return locks.map(({ name, slots = 1 }, i) => {
    if (!hasExpression(name) && !isLockName(name)) refuseName(inside(inside(site, i), 'name'));
    return { name, slots };
  });
}

function refuseName({ pointer, problems }: Site): void {
  const message = 'The name of a lock has a control character, or more than 200 characters.';
  const hint = 'Write a short text, such as "fleet:eu-1".';
  problems.add({ pointer, code: 'WRONG_NAME', message, hint });
}
