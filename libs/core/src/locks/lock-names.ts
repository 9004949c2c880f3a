import type { JsonValue } from '../json/json.js';
import { lockPlans, waitingTickets } from './lock.js';
import {
  type Answer,
  hasExpression,
  type Question,
  type QuestionMember,
} from '../task/question.js';
import { sceneOf, sceneOfTask } from '../values/scene.js';
import type { TaskEvent } from '../task/event.js';
import type { Task } from '../task/task.js';
import type { LockPlan } from '../flow/lock-plan.js';
import type { LockTicket, NamedLock } from '../task/lock-ticket.js';

/** Most characters of a lock's name. */
export const LOCK_NAME_MAX = 200;

/** Whether no name is an expression. */
export function areNamed(plans: readonly LockPlan[]): boolean {
  return !plans.some(({ name }) => hasExpression(name));
}

/** The question to answer before a ticket's locks can be asked for; null: there is none. */
export function lockQuestion(task: Task, { locks, since, step }: LockTicket): Question | null {
  if (locks !== null) return null;
  const template = lockPlans(task, step).map(({ name }) => name);
  const members: readonly QuestionMember[] = [{ name: 'locks', template, as: 'list' }];
  if (step === null) return { members, scene: sceneOfTask(task) };
  return { members, scene: { ...sceneOf(task, { direction: 'normal', step }), now: since } };
}

/** The locks that an answer names, each once and in the order of their names, or why not. */
export function namedLocks(
  plans: readonly LockPlan[],
  answer: Answer,
): readonly NamedLock[] | string {
  if ('fault' in answer) {
    const { member, position, reason } = answer.fault;
    const at = position === null ? '' : `, at position ${position}`;
    return `the expression in ${member} failed${at}: ${reason}`;
  }
  const names = answer.values['locks'] as readonly JsonValue[];
  const wrong = names.find((name) => !isLockName(name));
  if (wrong !== undefined || names.length !== plans.length) return WRONG_NAME;
  return inOrder(plans.map(({ slots }, n) => ({ name: names[n] as string, slots })));
}

const WRONG_NAME =
  `the name of a lock comes to no text of 1 to ${LOCK_NAME_MAX} characters, ` +
  'none of them control';

/** Whether a value can be the name of a lock. */
export function isLockName(value: JsonValue): boolean {
  if (typeof value !== 'string' || value === '' || value.length > LOCK_NAME_MAX) return false;
  return !/\p{Cc}/u.test(value);
}

/** Whoever asks for the same locks asks in the same order: they never wait for each other. */
export function inOrder(locks: readonly NamedLock[]): readonly NamedLock[] {
  const slots = new Map<string, number>();
  for (const lock of locks) {
    slots.set(lock.name, Math.min(lock.slots, slots.get(lock.name) ?? Infinity));
  }
  const named = [...slots].map(([name, count]) => ({ name, slots: count }));
  return named.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The event that grants a simulated task the first ticket it waits for, so that no lock holds up a
 * plan; null: it waits for none. Unknown lock names are replaced by invented ones.
 */
export function grantFor(task: Task): TaskEvent | null {
  const [ticket] = waitingTickets(task);
  if (ticket === undefined) return null;
  const { number, step } = ticket;
  if (ticket.locks !== null) return { kind: 'locks_held', number };
  const locks = lockPlans(task, step).map((_, n) => `lock ${n + 1}`);
  return { kind: 'locks_named', number, answer: { values: { locks } } };
}
