import { type ActionRef, isFinal, questionOf, type Task } from '#core';
import { openActions, runIdOf, runOf, stepAt, timeOver, wantsAction } from '#core/scopes';

/** Something that a task waits for and that does not come by itself. */
export interface AwaitedNews {
  readonly for: 'approval' | 'signal' | 'completion' | 'lock' | 'person' | 'command';
  /** Path of the run of the step that waits; null: the task itself. */
  readonly step: string | null;
  /** A sentence for people. */
  readonly message: string;
}

/** A task at rest, or on its way. Moments are milliseconds since 1970. */
export interface Standing {
  /** Something of it happens now, whatever the time is. */
  readonly isMoving: boolean;
  /** The run of a command that is at work; null: none is. */
  readonly running: string | null;
  /** When it goes on by the clock; Infinity: never. */
  readonly due: number;
  /** When what it waits for comes too late; Infinity: never. */
  readonly limit: number;
  readonly awaited: readonly AwaitedNews[];
}

const AT_REST: Standing = Object.freeze({
  isMoving: false,
  running: null,
  due: Infinity,
  limit: Infinity,
  awaited: [],
});

/** A task, and the part before the ids of its runs in their paths: `each#3/` or ''. */
export interface PlacedTask {
  readonly task: Task;
  readonly path: string;
}

/** How a task stands by its document alone; its child tasks and locks are not looked at. */
export function standingOf({ path, task }: PlacedTask, now: number): Standing {
  if (isFinal(task.status)) return AT_REST;
  const own: Standing = { ...AT_REST, ...ofTask(task, now) };
  // An alert is no part of the work that a test waits for.
  const open = openActions(task).map((ref) => {
    return { ...AT_REST, ...ofAction(task, ref, `${path}${runIdOf(task, ref.step)}`) };
  });
  return joined([own, ...open]);
}

/** Several standings as one. */
export function joined(standings: readonly Standing[]): Standing {
  return {
    isMoving: standings.some(({ isMoving }) => isMoving),
    running: standings.find(({ running }) => running !== null)?.running ?? null,
    due: Math.min(Infinity, ...standings.map(({ due }) => due)),
    limit: Math.min(Infinity, ...standings.map(({ limit }) => limit)),
    awaited: standings.flatMap(({ awaited }) => awaited),
  };
}

function ofTask(task: Task, now: number): Partial<Standing> {
  const { hold, message, paused, wakeAt } = task;
  const limit = timeOver(task) ?? Infinity;
  // Governance is about to look at it.
  const isMoving = wakeAt !== null && wakeAt <= now;
  const person = (why: string): Partial<Standing> => {
    const awaited = [{ for: 'person', step: null, message: why } as const];
    return { isMoving, limit, awaited };
  };
  if (paused !== null) return person('the task is paused');
  if (hold !== null) return person(message ?? 'the task waits for a person');
  return { isMoving, limit };
}

function ofAction(task: Task, ref: ActionRef, step: string): Partial<Standing> {
  const run = runOf(task, ref);
  if (run === null) return AT_REST;
  const limit = run.deadline ?? Infinity;
  if (run.lease !== null) return { isMoving: true, running: step, limit };
  if (run.state === 'waiting') return waiting(task, ref, step);
  if (questionOf(task, ref) !== null) return { isMoving: true };
  // A step that holds others is moved by these.
  if (run.state === 'running') return { limit };
  const isHeld = task.paused !== null || task.hold !== null;
  return { isMoving: !isHeld && wantsAction(task, ref) };
}

function waiting(task: Task, ref: ActionRef, step: string): Partial<Standing> {
  const run = runOf(task, ref);
  const plan = stepAt(task, ref.step);
  const due = run?.dueAt ?? Infinity;
  const awaits = (what: AwaitedNews['for'], message: string): Partial<Standing> => {
    return { limit: due, awaited: [{ for: what, step, message }] };
  };
  const isForward = ref.direction === 'normal';
  if (isForward && plan?.approve !== undefined) {
    return awaits('approval', `step ${step} waits for an approval`);
  }
  if (isForward && plan?.wait !== undefined && 'signal' in plan.wait) {
    return awaits('signal', `step ${step} waits for the signal ${plan.wait.signal}`);
  }
  if (run?.look === 'outside') {
    const undo = isForward ? 'step' : 'the rollback of step';
    return awaits('completion', `${undo} ${step} waits for its completion from outside`);
  }
  return task.paused === null ? { due } : AT_REST;
}
