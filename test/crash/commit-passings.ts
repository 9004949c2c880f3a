import type { ActionRef, ActionRun, Direction, JournalKind, Task } from '#core';
import type { Passing } from './passing.js';

type Commit = Omit<Passing, 'edge'>;

const ACTIONS: ReadonlySet<JournalKind> = new Set([
  'rollback_requested',
  'terminate_requested',
  'retry_requested',
  'skip_requested',
]);
const BY_GOVERNANCE: ReadonlySet<JournalKind> = new Set(['dispatched_again', 'lease_lost']);

/** The decisions of a commit, read from the documents before and after it. */
export function commitPassings(previous: Task, next: Task): readonly Commit[] {
  const kinds = next.journal
    .entries()
    .filter(({ seq }) => seq > previous.journalSeq)
    .map((e) => e.kind);
  const moves = movesOf(previous, next);
  const draft = [
    ...(kinds.some((kind) => ACTIONS.has(kind)) ? [{ border: 'action' } as const] : []),
    ...(isTick(kinds, moves) ? [{ border: 'tick' } as const] : []),
    ...moves.flatMap((move) => outcomeOf(move, { kinds, moves })),
    ...moves.filter(isClaim).map(({ direction }) => ({ border: 'claim' as const, direction })),
  ];
  const alone = draft.length === 1;
  return draft.map((commit): Commit => ({ ...commit, alone }));
}

/** The actions that a write leaves in a queue and that it has something to do with. */
export function queuedActions(previous: Task | null, next: Task): readonly ActionRef[] {
  return movesOf(previous, next).filter(({ after }) => after.state === 'queued');
}

interface Move {
  readonly direction: Direction;
  /** Position of the run. */
  readonly step: number;
  readonly before: ActionRun | null;
  readonly after: ActionRun;
}

/** Null: the task is new. */
function movesOf(previous: Task | null, next: Task): readonly Move[] {
  const moves: Move[] = [];
  const add = (ref: ActionRef, before: ActionRun | null, after: ActionRun | null): void => {
    if (after !== null && after !== before) moves.push({ ...ref, before, after });
  };
  next.runs.forEach(({ normal, rollback }, step) => {
    const before = previous?.runs[step];
    add({ direction: 'normal', step }, before?.normal ?? null, normal);
    add({ direction: 'rollback', step }, before?.rollback ?? null, rollback);
  });
  return moves;
}

function isTick(kinds: readonly JournalKind[], moves: readonly Move[]): boolean {
  const woken = ({ before, after }: Move): boolean =>
    before?.state === 'waiting' && (after.state === 'queued' || after.state === 'running');
  return kinds.some((kind) => BY_GOVERNANCE.has(kind)) || moves.some(woken);
}

/** A claim that ends was answered by its executor, unless governance took it away. */
function outcomeOf(
  { after, before, direction }: Move,
  { kinds, moves }: { kinds: readonly JournalKind[]; moves: readonly Move[] },
): readonly Omit<Commit, 'alone'>[] {
  const ends = before?.state === 'running' && after.lease?.token !== before.lease?.token;
  if (!ends || kinds.includes('lease_lost')) return [];
  const queues = moves.some((move) => move.after.state === 'queued');
  return [{ border: 'outcome', direction, queues }];
}

function isClaim({ after, before }: Move): boolean {
  return after.state === 'running' && after.lease?.token !== before?.lease?.token;
}
