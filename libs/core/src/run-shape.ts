import { FRESH_RUNS } from './action-run.js';
import type { Direction } from './journal.js';
import { firstPlace, stepAt, stepsIn, TASK } from './places.js';
import type { Scope, Turn } from './scope.js';
import {
  COUNT,
  faultIn,
  FINITE,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orNull,
  type Rules,
  rulesOf,
  TEXT,
} from './shape.js';
import { ALERT_MOVES, NORMAL_MOVES, ROLLBACK_MOVES } from './states.js';
import type { ActionRun, Lease, StepRuns, Task } from './task.js';

/** The rules of a run, whose states are those of its direction. */
function runRules(states: Readonly<Partial<Record<string, unknown>>>): Rules {
  return rulesOf<ActionRun>({
    state: oneOf(Object.keys(states), 'a state of the table'),
    code: COUNT,
    message: orNull(TEXT),
    startedAt: orNull(MOMENT),
    endedAt: orNull(MOMENT),
    attempts: COUNT,
    spent: COUNT,
    crashes: COUNT,
    refused: COUNT,
    dispatches: COUNT,
    dueAt: orNull(MOMENT),
    orderAt: orNull(FINITE),
    deadline: orNull(MOMENT),
    look: oneOf(['none', 'again', 'last'], 'a kind of look'),
    lease: orNull(OBJECT),
    output: orNull(OBJECT),
  });
}

const RUN: Readonly<Record<Direction, Rules>> = {
  normal: runRules(NORMAL_MOVES),
  rollback: runRules(ROLLBACK_MOVES),
  alert: runRules(ALERT_MOVES),
};

const LEASE = rulesOf<Lease>({ owner: TEXT, token: COUNT });
const TURNED_BY: readonly Turn['why'][] = [
  'step_failed',
  'step_timed_out',
  'task_timed_out',
  'scope_timed_out',
  'requested',
  'reset',
  'called_off',
  'undone',
  'hold_ended',
];
const TURN = rulesOf<Turn>({
  at: MOMENT,
  why: oneOf(TURNED_BY, 'a reason to turn back'),
  message: TEXT,
  to: orNull(COUNT),
  by: orNull(TEXT),
});

/** A direction. */
export const WAY = oneOf(['forward', 'back'], 'a direction');

const SCOPE = rulesOf<Scope>({
  kind: oneOf(['try'], 'a kind of scope that this build knows'),
  holder: COUNT,
  round: COUNT,
  first: NUMBERED,
  way: WAY,
  turned: orNull(OBJECT),
});

/** Why what says how something turned cannot go with its direction; null: it can. */
export function turnFault(
  { turned, way }: Pick<Scope, 'turned' | 'way'>,
  where: string,
): string | null {
  if ((way === 'back') !== (turned !== null)) {
    return turned === null
      ? `${where}turned is missing while it goes back`
      : `${where}turned of what goes forward`;
  }
  if (turned === null) return null;
  const fault = faultIn(TURN, turned, `${where}turned.`);
  if (fault !== null || mayGoDownTo(turned)) return fault;
  return `${where}turned.to is not what turned.why makes it`;
}

function mayGoDownTo({ to, why }: Turn): boolean {
  return why === 'requested' || (why === 'reset') === (to !== null);
}

/** Why the scopes and runs of a task cannot be those of its steps; null: they can. */
export function runsFault(task: Task): string | null {
  const { runs, scopes } = task;
  const fault = scopesFault(task);
  if (fault !== null) return fault;
  const entered = new Set<number>();
  for (const { holder, round } of scopes) if (round > 0) entered.add(holder);
  for (let scope = TASK; scope < scopes.length; scope += 1) {
    const first = firstPlace(task, scope);
    for (const [n, step] of stepsIn(task, scope).entries()) {
      const both = runs[first + n]!;
      const { generation } = both;
      if (!NUMBERED.holds(generation)) {
        return `runs[${first + n}].generation is not ${NUMBERED.means}`;
      }
      const wrong =
        step.group === undefined
          ? commandFault(both, first + n, step.rollback === null)
          : holderFault(both, first + n, entered);
      if (wrong !== null) return wrong;
    }
  }
  return null;
}

/** Each scope belongs to a step that holds steps, and its block begins where the last one ends. */
function scopesFault({ plan, runs, scopes, turned }: Task): string | null {
  let end = plan.steps.length;
  const sound: Scope[] = [];
  const holders = new Set<number>();
  for (const [n, scope] of scopes.entries()) {
    const where = `scopes[${n}].`;
    const fault = faultIn(SCOPE, scope, where) ?? turnFault(scope, where);
    if (fault !== null) return fault;
    const { first, holder } = scope;
    const step = holder < end ? stepAt({ plan, scopes: sound }, holder) : undefined;
    if (step?.group === undefined || holders.has(holder)) {
      return `${where}holder is no step that may hold it`;
    }
    if (first !== end) return `${where}first is ${first}, and the block before ends at ${end}`;
    sound.push(scope);
    holders.add(holder);
    end += step.group.length;
  }
  if ((turned?.to ?? 0) >= plan.steps.length) return 'turned.to is not a step';
  return runs.length === end ? null : `runs are ${runs.length}, and steps ${end}`;
}

/** A step that holds steps is in nobody's hands, and has a scope once it was entered. */
function holderFault(
  { normal, rollback }: StepRuns,
  n: number,
  entered: ReadonlySet<number>,
): string | null {
  if (rollback === null) return `runs[${n}].rollback is missing`;
  const fault =
    faultIn(RUN.normal, normal, `runs[${n}].normal.`) ??
    faultIn(RUN.rollback, rollback, `runs[${n}].rollback.`);
  if (fault !== null) return fault;
  // A person may pass it over before it is entered, and after all of its tries have failed.
  const stands = normal.state === 'skipped' || (normal.state === 'pending') !== entered.has(n);
  if (!stands) return `runs[${n}] does not stand as its scope does`;
  const isHeld = normal.lease !== null || rollback.lease !== null;
  return isHeld ? `runs[${n}] has a lease, and no command` : null;
}

function commandFault({ normal, rollback }: StepRuns, n: number, hasNone: boolean): string | null {
  const fault = FRESH_RUNS.has(normal) ? null : runFault(normal, 'normal', n);
  if (fault !== null) return fault;
  if ((rollback === null) !== hasNone) return `runs[${n}].rollback is not what its step has`;
  if (rollback === null || FRESH_RUNS.has(rollback)) return null;
  return runFault(rollback, 'rollback', n);
}

/** Why what was read cannot be the run of an action; null: it can be one. */
export function runFault(run: ActionRun, direction: Direction, step: number): string | null {
  const where = direction === 'alert' ? 'alert.' : `runs[${step}].${direction}.`;
  const fault = faultIn(RUN[direction], run, where);
  if (fault !== null) return fault;
  const { lease, state } = run;
  if ((state === 'running') !== (lease !== null)) {
    return `${where}lease is ${lease === null ? 'missing while it is running' : 'there while it is not running'}`;
  }
  return lease === null ? null : faultIn(LEASE, lease, `${where}lease.`);
}
