import {
  type Action,
  type CrashPolicy,
  type JsonObject,
  planName,
  type PublicRetry,
  publicRetry,
  type StepOf,
  type StepPlan,
} from '#core';
import { declarationOf } from '#core/flow';
import { CATCH, type Fields, mapObjects, type Member, type Members } from '#kinds';

/** How the steps of an inner list are shown; null: in a task they stand in its scopes. */
type PresentList = ((steps: readonly StepPlan[]) => readonly object[]) | null;

/** One half of a step, as people wrote it; times in seconds. */
export interface PublicAction {
  readonly module: string;
  readonly command: string;
  readonly timeout: number;
  readonly attemptTimeout?: number;
  readonly retry: PublicRetry;
  readonly onCrash: CrashPolicy;
  readonly parameters?: JsonObject;
}

/** The members that a step of any kind may have, as people wrote them. */
export function commonMembers(step: StepPlan, present: PresentList): object {
  const { catch: clauses, if: condition, locks, optional, pivot } = step;
  return {
    ...(condition !== undefined && { if: condition }),
    ...(optional === true && { optional }),
    ...(pivot === true && { pivot }),
    ...(clauses !== undefined && { catch: valueOf(CATCH, clauses, present) }),
    ...(locks !== undefined && { locks }),
  };
}

/** The members that make a step, a rollback aside, as people wrote them; times in seconds. */
export function kindMembers(step: StepPlan, present: PresentList): object {
  return shownMembers(declarationOf(step).members, step as unknown as Fields, present);
}

function shownMembers(members: Members, plan: Fields, present: PresentList): Fields {
  const shown: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(members)) {
    const isElsewhere = member.type === 'undo' || (member.type === 'steps' && present === null);
    const value = plan[planName(name, member)] ?? null;
    if (isElsewhere || (value === null && member.optional !== undefined)) continue;
    shown[name] = value === null ? null : valueOf(member, value, present);
  }
  return shown;
}

function valueOf(member: Member, value: unknown, present: PresentList): unknown {
  switch (member.type) {
    case 'steps':
      return present?.(value as readonly StepPlan[]);
    case 'branches': {
      const branches = value as StepOf<'parallel'>['parallel'];
      return Object.fromEntries(branches.map(({ name, steps }) => [name, present?.(steps) ?? []]));
    }
    case 'object of':
      return mapObjects(member, value, ({ fields, members }) => {
        const isBare = member.orTrue === true && Object.values(fields).every((one) => one === null);
        return isBare ? true : shownMembers(members, fields, present);
      });
    default:
      return scalarOf(member.type, value);
  }
}

function scalarOf(type: Member['type'], value: unknown): unknown {
  switch (type) {
    case 'action':
      return presentAction(value as Action);
    case 'tries':
      return triesOf(value as StepOf<'group'>['retry']);
    case 'duration':
    case 'computedDuration':
    case 'computedMoment':
      return typeof value === 'number' ? value / 1_000 : value;
    default:
      return value;
  }
}

function triesOf(retry: StepOf<'group'>['retry']): PublicRetry | object {
  return 'forEach' in retry ? retry : publicRetry(retry);
}

/** One half of a step as flow files write it. */
export function presentAction(action: Action): PublicAction {
  const { module, command, timeoutMs, attemptTimeoutMs, retry, onCrash, parameters } = action;
  return {
    module,
    command,
    timeout: timeoutMs / 1_000,
    ...(attemptTimeoutMs !== null && { attemptTimeout: attemptTimeoutMs / 1_000 }),
    retry: publicRetry(retry),
    onCrash,
    ...(parameters !== null && { parameters }),
  };
}

/** Names of the steps that a step waits for. */
export function namesOfNeeds(step: StepPlan, steps: readonly StepPlan[]): readonly string[] {
  return step.needs.map((index) => steps[index]?.name ?? '');
}
