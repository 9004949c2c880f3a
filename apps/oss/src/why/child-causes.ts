import { statusName, type Task } from '#core';
import { type ChildrenPlan, childrenToTend, wholeTally } from '#core/children';
import { runIdOf } from '#core/scopes';
import {
  type Cause,
  CHILDREN,
  type LookedChild,
  type LookedChildren,
  moment,
  type NextStep,
  type Situation,
} from './cause.js';
import { movesMore } from './stands-still.js';

/** Child tasks of one step that are told to be stuck; more are counted. */
const TOLD_MAX = 5;

/** Causes of a child task that pass by the clock, so that nobody has to do anything about them. */
const PASSES: readonly string[] = ['WAITS_FOR_TIME'];

/** The reasons that lie in the child tasks of one step. */
interface ChildReasons {
  /** How they stand. */
  readonly waits: Cause;
  /** The first of those that do not move, each with its own cause. */
  readonly stuck: readonly Cause[];
  /** Something moves in them, or as much as is known will. */
  readonly moves: boolean;
  /** More are stuck than are told. */
  readonly isCut: boolean;
}

/** Reasons that lie in child tasks: each step that waits for some says how they stand. */
export function childReasons(situation: Situation): readonly ChildReasons[] {
  return childrenToTend(situation.task).map((plan) => {
    return reasonsOf(situation, plan, situation.below.get(plan.holder) ?? UNLOOKED);
  });
}

const UNLOOKED: LookedChildren = { children: [], hasMore: true };

function reasonsOf({ task }: Situation, plan: ChildrenPlan, looked: LookedChildren): ChildReasons {
  const { children, hasMore } = looked;
  const stuck = children.filter(({ explained }) => isStuck(explained));
  const causes = stuck.flatMap((child) => causesOf(task, plan, child));
  const isUnknown = children.length === 0 && hasMore;
  const hasRoom = children.length < plan.concurrency && !hasMore;
  const moves =
    isUnknown ||
    children.length === 0 ||
    children.some(({ explained }) => explained.moving) ||
    (hasRoom && movesMore(plan));
  return {
    waits: waitsOf(task, plan, { looked: children.length, stuck: stuck.length }),
    stuck: causes.slice(0, TOLD_MAX),
    moves,
    isCut: causes.length > TOLD_MAX,
  };
}

function isStuck({ causes: [first], moving }: LookedChild['explained']): boolean {
  return !moving && first !== undefined && !PASSES.includes(first.code);
}

/** The causes for which a child task does not move: its own first one, or those further below. */
function causesOf(task: Task, { holder }: ChildrenPlan, child: LookedChild): readonly Cause[] {
  const below = child.explained.causes.filter(({ code }) => code === 'CHILD_STUCK');
  const [first] = child.explained.causes;
  const leaves = first?.code === 'CHILD_STUCK' ? below : child.explained.causes.slice(0, 1);
  const step = runIdOf(task, holder);
  return leaves.map((leaf) => stuckCause(step, child, leaf));
}

function stuckCause(step: string, child: LookedChild, leaf: Cause): Cause {
  const { flow, item, status, taskId } = child;
  const isBelow = leaf.code === 'CHILD_STUCK';
  const { code, evidence, message, since } = leaf;
  const cause = isBelow ? evidence['cause'] : { code, message, since, evidence };
  const path = isBelow ? (evidence['path'] as readonly string[]) : [];
  const deeper = isBelow ? evidence : {};
  const own = { taskId, flow, item, status: statusName(status), ...deeper };
  const told = isBelow
    ? `Child task ${taskId} of step ${step} does not move. ${message}`
    : `Child task ${taskId} of step ${step} does not move: ${message}`;
  return {
    code: 'CHILD_STUCK',
    message: told,
    since,
    evidence: { ...own, step, path: [taskId, ...path], cause },
    next: [...leaf.next.filter(isOwnAct).map((next) => nextIn(next, taskId)), CHILDREN],
  };
}

function isOwnAct({ action }: NextStep): boolean {
  return action !== CHILDREN.action;
}

function nextIn(next: NextStep, taskId: string): NextStep {
  return { ...next, taskId: next.taskId ?? taskId };
}

function goalOf({ replaces, way }: ChildrenPlan): string {
  if (way === 'back') return 'its child tasks to be undone';
  if (way === 'end') return 'its child tasks to be terminated';
  if (replaces === null) return 'its child tasks to end';
  return 'a child task to be undone before its item starts again';
}

function waitsOf(
  task: Task,
  plan: ChildrenPlan,
  { looked, stuck }: { readonly looked: number; readonly stuck: number },
): Cause {
  const { concurrency, holder, tally, way } = plan;
  const { failed, held, started, succeeded, total } = wholeTally(tally);
  // Those that were only just started are counted at the next look, and are open all the same.
  const active = way === 'forward' ? started - succeeded - failed : tally.active;
  const id = runIdOf(task, holder);
  const standing = `${succeeded} of ${total} succeeded, ${failed} failed, ${active} open`;
  const isFull = way === 'forward' && started < total && active >= concurrency;
  const limit = isFull ? ` (no more at a time)` : '';
  const persons = held === 0 ? '' : `. Open ones that wait for a person: ${held}`;
  const still = stuck === 0 ? '' : `. Of the ${looked} looked at, ${stuck} do not move`;
  const counts = { total, started, succeeded, failed, active, held, looked, stuck };
  return {
    code: 'WAITS_FOR_CHILDREN',
    message: `Step ${id} waits for ${goalOf(plan)}: ${standing}${limit}${persons}${still}.`,
    since: moment(task.runs[holder]?.normal.startedAt ?? null),
    evidence: { step: id, way, ...counts, concurrency },
    next: [CHILDREN],
  };
}
