import { type BranchesMember, HOLDERS, type Member, type StepsMember } from '#kinds';
import type { Action } from './action.js';
import type { StepPlan } from './flow.js';

type Steps = readonly StepPlan[];

/** The step, or an object in it, that has a list of steps. */
type Holder = Readonly<Record<string, unknown>>;

/** A member of steps of a kind, as plans have it, that is a list of steps or has such lists. */
interface ListSource {
  readonly declared: StepsMember | BranchesMember;
  /** The member that makes the step, or stands beside it. */
  readonly name: string;
  /** Whether the member is a list of what holds lists. */
  readonly isMany: boolean;
  /** The holder of the lists: one object, or a list of them. Undefined or null: there is nothing. */
  readonly holderIn: (step: StepPlan) => unknown;
  /** The list, as a member of what holds it. */
  readonly member: string;
}

const SOURCES: readonly ListSource[] = HOLDERS.flatMap(([name, member]) => sourcesOf(name, member));

function sourcesOf(name: string, member: Member): readonly ListSource[] {
  const whole = (step: StepPlan): unknown => step;
  const value = (step: StepPlan): unknown => (step as unknown as Holder)[name];
  switch (member.type) {
    case 'steps':
      return [{ declared: member, name, isMany: false, holderIn: whole, member: name }];
    case 'branches':
      return [{ declared: member, name, isMany: true, holderIn: value, member: 'steps' }];
    case 'entries':
    case 'object of': {
      const isMany = member.type === 'entries';
      return Object.entries(member.members).flatMap(([inner, declared]) => {
        if (declared.type !== 'steps') return [];
        return [{ declared, name, isMany, holderIn: value, member: inner }];
      });
    }
    default:
      return [];
  }
}

const BY_SCOPE = new Map<string, ListSource[]>();
for (const source of SOURCES) {
  const { scope } = source.declared;
  BY_SCOPE.set(scope, [...(BY_SCOPE.get(scope) ?? []), source]);
}

/** Which list of a step a scope runs: by the kind of the scope, and a position. */
interface ScopedList {
  readonly kind: string;
  readonly list: number;
}

/** A list of steps that a step has as its author wrote it. */
interface PlanList {
  readonly steps: Steps;
  readonly declared: StepsMember | BranchesMember;
  /** The name of one value more that its steps see; null: they see none. */
  readonly sees: string | null;
}

/** Every list of steps that a step has as its author wrote it, in the order of a file. */
export function planLists(step: StepPlan): readonly PlanList[] {
  const lists: PlanList[] = [];
  for (const { declared, holderIn, isMany, member, name } of SOURCES) {
    if ((step as unknown as Holder)[name] === undefined) continue;
    const found = holderIn(step);
    for (const holder of (isMany ? found : [found]) as readonly Holder[]) {
      const steps = holder[member] as Steps | null | undefined;
      if (steps === null || (steps === undefined && declared.optional !== undefined)) continue;
      lists.push({ declared, steps: steps as Steps, sees: seenIn(declared, holder) });
    }
  }
  return lists;
}

function seenIn({ sees = [] }: StepsMember | BranchesMember, holder: Holder): string | null {
  let at: unknown = holder;
  for (const name of sees) at = (at as Holder)[name];
  return typeof at === 'string' ? at : null;
}

/** Every list of steps that a step has as its author wrote it, in the order of a file. */
export function innerLists(step: StepPlan): readonly Steps[] {
  return planLists(step).map(({ steps }) => steps);
}

/** The list of a step that a scope of this kind runs, at a position; undefined: it has none. */
export function listAt(step: StepPlan, { kind, list }: ScopedList): Steps | undefined {
  for (const { holderIn, isMany, member } of BY_SCOPE.get(kind) ?? []) {
    const found = holderIn(step) as Holder | readonly Holder[] | null | undefined;
    const holder = isMany ? (found as readonly Holder[] | undefined)?.[list] : (found as Holder);
    const steps = holder?.[member] as Steps | null | undefined;
    if (steps !== undefined && steps !== null) return steps;
  }
  return undefined;
}

/** The author's name for that list; the name of the member that it is, where it has none. */
export function listNameAt(step: StepPlan, { kind, list }: ScopedList): string | undefined {
  let name: string | undefined;
  for (const source of BY_SCOPE.get(kind) ?? []) {
    if ((step as unknown as Holder)[source.name] === undefined) continue;
    const found = source.isMany ? (source.holderIn(step) as readonly Holder[])[list] : null;
    if (found === undefined) continue;
    name = typeof found?.['name'] === 'string' ? found['name'] : source.name;
    break;
  }
  return name;
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
