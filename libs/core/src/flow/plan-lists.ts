import { type HeldList, HOLDERS, innerMembers, type Member, listsIn } from '#kinds';
import type { Action } from './action.js';
import type { StepPlan } from './flow.js';

/** A list of steps that a step has as its author wrote it. */
interface PlanList extends HeldList {
  readonly steps: readonly StepPlan[];
}

/** Every list of steps that a step has as its author wrote it, in the order of a file. */
export function planLists(step: StepPlan): readonly PlanList[] {
  return listsIn(step) as readonly PlanList[];
}

/** The steps of each of these lists. */
export function innerLists(step: StepPlan): readonly (readonly StepPlan[])[] {
  return planLists(step).map(({ steps }) => steps);
}

/** Where plans have lists of steps that scopes of one kind run. */
interface ListSource {
  readonly scope: string;
  /** The member of the step. */
  readonly name: string;
  /** The member of an object in it that is the list; null: it is the list itself. */
  readonly inner: string | null;
  /** Whether it is a list of such objects. */
  readonly isMany: boolean;
}

// For each step that is looked for in a scope: `listsIn` would make objects each time.
const SOURCES = new Map<string, ListSource[]>();
for (const source of HOLDERS.flatMap(([name, member]) => sourcesOf(name, member))) {
  SOURCES.set(source.scope, [...(SOURCES.get(source.scope) ?? []), source]);
}

function sourcesOf(name: string, member: Member): readonly ListSource[] {
  if (member.type === 'steps') return [{ scope: member.scope, name, inner: null, isMany: false }];
  if (member.type === 'branches') {
    return [{ scope: member.scope, name, inner: 'steps', isMany: true }];
  }
  const isMany = member.type === 'object of' && member.entry !== undefined;
  return innerMembers(member).flatMap(([inner, held]) => {
    return held.type === 'steps' ? [{ scope: held.scope, name, inner, isMany }] : [];
  });
}

/** The scope that a step is looked for in: its kind, and which of its holder's lists it runs. */
interface ScopeOfList {
  readonly kind: string;
  readonly list: number;
}

/** The steps that a scope of a step runs; undefined: the step has no such list. */
export function stepsOfScope(
  step: StepPlan,
  { kind, list }: ScopeOfList,
): readonly StepPlan[] | undefined {
  for (const { inner, isMany, name } of SOURCES.get(kind) ?? []) {
    const value = (step as unknown as Record<string, unknown>)[name];
    const holder = isMany ? (value as readonly unknown[] | undefined)?.[list] : value;
    const steps =
      inner === null ? holder : (holder as Record<string, unknown> | undefined)?.[inner];
    if (steps !== undefined && steps !== null) return steps as readonly StepPlan[];
  }
  return undefined;
}

/** The author's name for that list; the name of the member that it is, where it has none. */
export function nameOfScope(step: StepPlan, { kind, list }: ScopeOfList): string | undefined {
  for (const { isMany, name } of SOURCES.get(kind) ?? []) {
    const value = (step as unknown as Record<string, unknown>)[name];
    const holder = isMany ? (value as readonly { name?: string }[] | undefined)?.[list] : undefined;
    if (holder !== undefined) return holder.name ?? name;
    if (!isMany && value !== undefined) return name;
  }
  return undefined;
}

/** A list without steps. */
export const NO_STEPS: readonly StepPlan[] = Object.freeze([]);

/** Every action of a list of steps, and of the steps in them, in their order. */
export function actionsIn(steps: readonly StepPlan[]): readonly Action[] {
  return steps.flatMap((step) => {
    const own = [step.normal, step.rollback];
    const inner = innerLists(step).flatMap(actionsIn);
    return [...own.filter((action) => action !== null && action !== undefined), ...inner];
  });
}
