import { type Direction, mayMove, type RunState, TASK_MOVES, type TaskStatus } from '#core';

/** One commit may take an action through several states: queued and claimed, failed and queued. */
const HOPS_MAX = 4;

const RUN_STATES: readonly RunState[] = [
  'none',
  'pending',
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timed_out',
  'terminated',
  'skipped',
];

const runMoves = new Map<string, ReadonlySet<RunState>>();
const taskMoves = new Map<TaskStatus, ReadonlySet<TaskStatus>>();

/** Whether the tables allow an action to get from one state to the other. */
export function mayGetTo(direction: Direction, from: RunState, to: RunState): boolean {
  const key = `${direction} ${from}`;
  const known = runMoves.get(key);
  if (known !== undefined) return known.has(to);
  const found = reach(from, (state) =>
    RUN_STATES.filter((next) => mayMove(direction, state, next)),
  );
  runMoves.set(key, found);
  return found.has(to);
}

/** Whether the tables allow a task to get from one status to the other. */
export function mayTaskGetTo(from: TaskStatus, to: TaskStatus): boolean {
  const known = taskMoves.get(from);
  if (known !== undefined) return known.has(to);
  const found = reach(from, (status) => TASK_MOVES[status]);
  taskMoves.set(from, found);
  return found.has(to);
}

function reach<T>(from: T, nextOf: (state: T) => readonly T[]): ReadonlySet<T> {
  const found = new Set<T>([from]);
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    for (const state of [...found]) for (const next of nextOf(state)) found.add(next);
  }
  return found;
}
