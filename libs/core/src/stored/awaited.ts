import { indexIn, openActions } from '../scopes/task-index.js';
import { stepAt } from '../scopes/step-at.js';
import { DocumentFault, faultIn, orNull, COUNT, oneOf, type Rule, rulesOf } from '../json/shape.js';
import { TASK_STATUS, type TaskStatus } from '../task/status.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';

/** The kinds of {@link Awaited}. */
export const AWAITED_KINDS = ['retry', 'signal', 'completion', 'lock', 'time'] as const;

type AwaitedKind = (typeof AWAITED_KINDS)[number];

/**
 * The event without which a task that is under way does not go on, as lists show it. Approvals are
 * told by themselves.
 */
export interface Awaited {
  /** `retry`: the next attempt of an action that has failed, whatever else goes on meanwhile. */
  readonly kind: AwaitedKind;
  /** Attempts so far of the action that is tried again; 0 for every other kind. */
  readonly attempts: number;
}

const MOVING: ReadonlySet<TaskStatus> = new Set([
  TASK_STATUS.not_started,
  TASK_STATUS.running,
  TASK_STATUS.rolling_back,
]);

/** The event that a task waits for; null: it goes on, it has ended, or a person holds it. */
export function awaitedBy(task: Task): Awaited | null {
  if (!MOVING.has(task.status)) return null;
  let attempts = 0;
  let isMoving = task.scopes.length > 0 && task.scopes.some(hasOpenChildren);
  for (const stretch of indexIn(task).stretches) {
    attempts = Math.max(attempts, stretch.attempts);
    isMoving ||= stretch.isMoving;
  }
  if (attempts > 0) return { kind: 'retry', attempts };
  if (isMoving) return null;
  const kind = newsOf(task);
  return kind === null ? null : { kind, attempts: 0 };
}

function hasOpenChildren({ kind, stage }: Scope): boolean {
  return kind === 'children' && stage === 'open';
}

/** The news for which a task rests: of several, the one that others have to bring. */
function newsOf(task: Task): AwaitedKind | null {
  const kinds = new Set(openActions(task).map((action) => kindOf(task, action)));
  if (task.locks.some(({ heldAt }) => heldAt === null)) kinds.add('lock');
  return NEWS.find((kind) => kinds.has(kind)) ?? null;
}

const NEWS = ['completion', 'signal', 'lock', 'time'] as const;

function kindOf(
  task: Task,
  { direction, step }: ReturnType<typeof openActions>[number],
): AwaitedKind | null {
  const runs = task.runs[step];
  const run = direction === 'rollback' ? runs?.rollback : runs?.normal;
  if (run?.state !== 'waiting') return null;
  const plan = direction === 'normal' ? stepAt(task, step) : undefined;
  if (plan?.approve !== undefined) return null;
  if (plan?.wait !== undefined && 'signal' in plan.wait) return 'signal';
  return run.look === 'outside' ? 'completion' : 'time';
}

/** Text of what a task waits for, which a store keeps beside it. Null: it waits for nothing. */
export function awaitedText(task: Task): string | null {
  const awaited = awaitedBy(task);
  if (awaited === null) return null;
  return awaited.attempts === 0 ? awaited.kind : `${awaited.kind} ${awaited.attempts}`;
}

/** Nearly all that tasks wait for, by its text: lists read one for each task. */
const WITHOUT_ATTEMPTS: ReadonlyMap<unknown, Awaited> = new Map(
  AWAITED_KINDS.map((kind) => [kind, Object.freeze({ kind, attempts: 0 })]),
);

const TEXT = /^([a-z]+)(?: ([1-9]\d{0,8}))?$/;

/**
 * Reads such a text of a task with this status; a build that does not know the text leaves it
 * behind. Throws `DocumentFault`.
 */
export function readAwaited(text: unknown, status: number): Awaited | null {
  if (text === null || !MOVING.has(status as TaskStatus)) return null;
  const known = WITHOUT_ATTEMPTS.get(text);
  if (known !== undefined) return known;
  const [, kind, attempts = '0'] = (typeof text === 'string' && TEXT.exec(text)) || [];
  const awaited = { kind, attempts: Number(attempts) } as Awaited;
  if (AWAITED.holds(awaited)) return awaited;
  throw new DocumentFault(`what it waits for is not ${AWAITED.means}`);
}

const MEMBERS = rulesOf<Awaited>({
  kind: oneOf(AWAITED_KINDS, 'a kind of event'),
  attempts: COUNT,
});

/** Such an event, or null. */
export const AWAITED: Rule = orNull({
  holds: (value) => faultIn(MEMBERS, value, '') === null,
  means: 'an event that is waited for',
});
