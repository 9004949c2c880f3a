import { type LockTicket, statusName } from '#core';
import { waitingTickets } from '#core/locks';
import { runIdOf } from '#core/scopes';
import type { TaskSummary } from '#core/stored';
import { countHolding, isSameTicket, type LockEntry } from '#ports';
import { type Cause, moment, type NextStep, type Situation, WAIT } from './cause.js';

/** Most holders that a reason names. */
const NAMED_MAX = 5;

const GO_BACK: NextStep = { action: 'rollback', label: 'Roll this task back, and then its parent' };
const BREAK: NextStep = { action: 'rollback', label: 'Roll this task back, and the others go on' };
const SEE: NextStep = { action: 'locks', label: 'See who holds which lock' };

/** Reasons that lie in locks: each ticket that waits says for which, and who holds them. */
export function lockCauses(situation: Situation): readonly Cause[] {
  const { task } = situation;
  if (task.outcome !== null) return [];
  return waitingTickets(task).map((ticket) => causeOf(situation, ticket));
}

function causeOf(situation: Situation, ticket: LockTicket): Cause {
  const { task } = situation;
  const { since, step } = ticket;
  const id = step === null ? null : runIdOf(task, step);
  const who = id === null ? 'The task' : `Step ${id}`;
  const blocked = blockedBy(situation, ticket);
  const evidence = { step: id, locks: (ticket.locks ?? []).map(({ name }) => name) };
  if (blocked === null) {
    const message = `${who} is about to get its locks.`;
    return { code: 'WAITS_FOR_LOCK', message, since: moment(since), evidence, next: [WAIT] };
  }
  const { ahead, holders, name, slots } = blocked;
  const ids = holders
    .map(({ taskId }) => taskId)
    .filter((taskId) => !situation.hiddenHolders.has(taskId));
  const by = toldHolders(ids.slice(0, NAMED_MAX), holders.length);
  const line = ahead === 0 ? '' : `; ${ahead} ahead of it in the queue`;
  const still = ids.flatMap((taskId) => situation.stillHolders.get(taskId) ?? []);
  const { next, why } = outlookOf(situation, blocked, still);
  return {
    code: 'WAITS_FOR_LOCK',
    message: `${who} waits for the lock ${name}, held by ${by}${line}.${why}`,
    since: moment(since),
    evidence: { ...evidence, lock: name, slots, holders: ids, ahead },
    next,
  };
}

/** Whether its holders let go of the lock by themselves, in words, and what a person may do. */
function outlookOf(
  situation: Situation,
  { holders, slots }: Blocked,
  still: readonly TaskSummary[],
): { readonly why: string; readonly next: readonly NextStep[] } {
  const { hiddenHolders, ring, task } = situation;
  const parent = task.plan.parent?.taskId;
  const isHolder = (id: string | undefined): boolean => holders.some(({ taskId }) => taskId === id);
  if (slots === 1 && isHolder(parent) && !hiddenHolders.has(parent ?? '')) {
    return { why: ' Its parent holds it, and waits for this task.', next: [GO_BACK, SEE] };
  }
  if (isHolder(ring[0])) return { why: toldRing(situation), next: [BREAK, SEE] };
  const mayPass = still.length < holders.length;
  const next = [...still.slice(0, 1).map(whyOf), SEE, ...(mayPass ? [WAIT] : [])];
  return { why: toldStill(still), next };
}

/** Says that tasks wait for each other. */
function toldRing({ hiddenHolders, ring }: Situation): string {
  const named = ring.filter((taskId) => !hiddenHolders.has(taskId));
  const others = toldHolders(named, ring.length);
  const wait = ring.length === 1 ? 'waits' : 'wait, one for the other,';
  return ` In turn ${others} ${wait} for this task: none goes on before one of them is rolled back.`;
}

/** Says that a holder keeps the lock until a person acts on it. */
function toldStill([first]: readonly TaskSummary[]): string {
  if (first === undefined) return '';
  const { message, status, taskId } = first;
  const why = message === null ? '' : `: ${message}`;
  return ` ${taskId} waits for a person (${statusName(status)})${why}`;
}

function whyOf({ taskId }: TaskSummary): NextStep {
  return { action: 'why', label: 'See why its holder does not move', taskId };
}

/** Says who holds a lock: this many tasks, of which some are named. */
function toldHolders(named: readonly string[], count: number): string {
  const others = count - named.length;
  if (named.length === 0) return others === 1 ? 'another task' : `${others} other tasks`;
  return others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more`;
}

interface Blocked {
  readonly name: string;
  readonly slots: number;
  readonly holders: readonly LockEntry[];
  /** How many wait before it. */
  readonly ahead: number;
}

/** The first lock that it does not hold; null: it is not known, or it holds all of them. */
function blockedBy({ lines, task }: Situation, { locks, number }: LockTicket): Blocked | null {
  const own = { taskId: task.plan.taskId, number };
  for (const { name, slots } of locks ?? []) {
    const entries = lines.get(name) ?? [];
    const at = entries.findIndex((entry) => isSameTicket(entry, own));
    const count = countHolding(entries);
    if (at >= 0 && at < count) continue;
    if (count === 0) return null;
    const ahead = (at < 0 ? entries.length : at) - count;
    return { name, slots, holders: entries.slice(0, count), ahead };
  }
  return null;
}
