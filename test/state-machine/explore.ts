import {
  DEFAULT_LIMITS,
  type ActionRun,
  DEFAULT_TIMING,
  isActive,
  type Moment,
  type Task,
  type TaskEvent,
} from '#core';
import { timeOver } from '#core/scopes';
import { createTask, type Decision, transition } from '#core/transitions';
import type { SmallFlow } from './small-flows.js';
import { eventsFor, failuresOf } from './events.js';

/** One event that happened to one task. */
export interface Happened {
  readonly before: Task;
  readonly event: TaskEvent;
  readonly decision: Decision;
}

/** A task at a moment. */
interface Place {
  readonly task: Task;
  readonly now: number;
}

const TIMING = { ...DEFAULT_TIMING, alertRepeatMs: 30_000 };
/** Longer than any action may take. */
const LONG_MS = 61_000;

/**
 * Does everything that can happen to a task of this flow, in every order: each event in each state,
 * with and without time going by, until nothing leads to a state that was not seen. States that
 * differ in nothing that a decision reads count as one.
 */
export function explore(
  { definition, grain }: SmallFlow,
  look: (happened: Happened) => void,
): number {
  const start = 1_000_000;
  const options = { taskId: 't', moment: momentAt(start) };
  const { task } = createTask({ definition, version: 1 }, { parameters: {} }, options);
  const places: Place[] = [];
  const seen = new Set<string>();
  const keyFor = KEYS[grain];
  const visit = (place: Place): void => {
    const key = keyFor(place);
    if (seen.has(key)) return;
    seen.add(key);
    places.push(place);
  };
  visit({ task, now: start });
  const pestered = new Set<string>();
  for (const { task: before, now } of places) {
    for (const event of eventsFor(before)) {
      const decision = transition(before, event, { moment: momentAt(now) });
      look({ before, event, decision });
      if (decision.kind === 'moved') visit({ task: decision.task, now });
    }
    if (before.outcome !== null) continue;
    const act = pestersIn(before);
    const pestering = `${act?.kind} ${before.status}`;
    if (act !== null && !pestered.has(pestering)) {
      pestered.add(pestering);
      pester({ task: before, now }, act, look);
    }
    for (const at of [before.wakeAt, timeOver(before)]) {
      if (at !== null) visit({ task: before, now: Math.max(now, at) });
    }
    visit({ task: before, now: now + LONG_MS });
  }
  return seen.size;
}

type Pestering = Extract<TaskEvent, { kind: 'retry_requested' | 'reset_requested' }>;

/** The action that a person may repeat on a task without end; null: none. */
function pestersIn({ hold, paused, plan, runs, startedAt }: Task): Pestering | null {
  const person = { actor: 'p', reason: 'r', key: null } as const;
  if (hold !== null) return { kind: 'retry_requested', ...person };
  const queued = startedAt === null || paused !== null ? -1 : runs.findIndex(isQueued);
  const to = plan.steps[queued]?.name;
  return to === undefined ? null : { kind: 'reset_requested', ...person, to };
}

function isQueued({ normal }: Task['runs'][number]): boolean {
  return normal.state === 'queued' && normal.startedAt === null;
}

/**
 * A person does the same over and over until that is refused. It stands apart from the rest,
 * because how often it was done is no part of a state.
 */
function pester({ now, task }: Place, act: Pestering, look: (happened: Happened) => void): void {
  const apply = (event: TaskEvent): boolean => {
    const decision = transition(task, event, { moment: momentAt(now) });
    look({ before: task, event, decision });
    if (decision.kind === 'moved') task = decision.task;
    return decision.kind === 'moved';
  };
  for (let nth = 0; apply({ ...act, key: `time ${nth}` }); nth++) {
    for (const event of failuresOf(task)) apply(event);
  }
}

function momentAt(now: number): Moment {
  return { now, chance: 0, timing: TIMING, limits: { ...DEFAULT_LIMITS, contentBytes: 100 } };
}

/** Everything that decides what becomes of a task. */
function keyOf({ now, task }: Place): string {
  const { runs } = task;
  let parts = '';
  for (const { normal, rollback } of runs) {
    parts += `${partsOf(normal, now)}/${rollback === null ? '' : partsOf(rollback, now)} `;
  }
  return `${standOf(task)} ${parts}${restOf({ now, task })}`;
}

/** The same where each action is tried once and has all the time there is. */
function plainKeyOf({ now, task }: Place): string {
  const { outcome, runs, wakeAt } = task;
  let parts = '';
  for (const { normal, rollback } of runs) {
    parts += `${plainPartsOf(normal, now)}/${rollback === null ? '' : plainPartsOf(rollback, now)} `;
  }
  const rest = outcome === null ? `${isPast(wakeAt, now)} ${alertPartsOf({ now, task })}` : '';
  return `${standOf(task)} ${parts}${rest}`;
}

/** How often it was asked for, and under which number, decides nothing but when that is again. */
function alertPartsOf({ now, task: { alert } }: Place): string {
  if (alert === null) return '';
  const sentMs = now - (alert.sentAt ?? Infinity);
  const sent = `${sentMs >= 10_000} ${sentMs >= 30_000}`;
  return `${alert.number > 0} ${alert.looks > 0} ${sent} ${isPast(alert.dueAt, now)}`;
}

function standOf({ hold, outcome, paused, scopes, startedAt, turned, way }: Task): string {
  const turn = `${turned?.to} ${turned?.why === 'reset'}`;
  const stand = `${way} ${turn} ${hold?.why} ${paused === null} ${startedAt === null}`;
  if (scopes.length === 0) return `${outcome} ${stand}`;
  return `${outcome} ${stand} ${scopes.map((scope) => `${scope.way} ${scope.turned?.why}`).join()}`;
}

/** The parts of a task besides its steps that decide; empty where it has ended. */
function restOf({ now, task }: Place): string {
  if (task.outcome !== null) return '';
  return `${isPast(timeOver(task), now)} ${alertPartsOf({ now, task })}`;
}

function partsOf(run: ActionRun, now: number): string {
  const { attempts, crashes, deadline, dueAt, look, refused, spent, startedAt } = run;
  const { state } = run;
  if (!isActive(run)) return `${state} ${attempts > refused}`;
  const times = `${isPast(dueAt, now)} ${isPast(deadline, now)}`;
  const used = `${Math.min(spent, 2)} ${Math.min(crashes, 2)}`;
  return `${state} ${look} ${startedAt === null} ${attempts > refused} ${used} ${times}`;
}

function plainPartsOf(run: ActionRun, now: number): string {
  const { attempts, deadline, expiresAt, look, refused, startedAt, state } = run;
  if (!isActive(run)) return `${state} ${attempts > refused}`;
  const isOver = isPast(deadline ?? expiresAt, now);
  return `${state} ${look} ${startedAt === null} ${attempts > refused} ${isOver}`;
}

/** The states of a task's actions, in any order of its steps, and whether something is due. */
function coarseKeyOf({ now, task }: Place): string {
  const { hold, outcome, paused, runs, turned, wakeAt, way } = task;
  const parts = runs.map(({ normal, rollback }) => {
    return `${normal.state} ${rollback?.state} ${normal.attempts > normal.refused}`;
  });
  const stand = [way, turned?.to ?? 'all', hold?.why, paused === null, outcome];
  const rest = [...stand, alertPartsOf({ now, task }), isPast(wakeAt, now)];
  return [...parts.toSorted(), ...rest].join();
}

/** Besides that, how far a worker's claim is, or whether one ended that still counts. */
function claimsKeyOf(place: Place): string {
  const claims = place.task.runs.map(({ normal, rollback }) => {
    return `${claimPartsOf(normal)} ${claimPartsOf(rollback)}`;
  });
  return [coarseKeyOf(place), ...claims].join();
}

function claimPartsOf(run: ActionRun | null): string {
  const { expired, lease } = run ?? {};
  return `${lease?.terms?.isHeld} ${lease?.terms?.isCancelled} ${expired?.isHandedBack}`;
}

/** The keys that tell states apart, by how fine they are. */
const KEYS: Readonly<Record<SmallFlow['grain'], (place: Place) => string>> = {
  fine: keyOf,
  plain: plainKeyOf,
  coarse: coarseKeyOf,
  claims: claimsKeyOf,
};

function isPast(at: number | null, now: number): boolean | null {
  return at === null ? null : at <= now;
}
