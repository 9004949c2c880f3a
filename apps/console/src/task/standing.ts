import type { Explanation, Run, Step, Summary } from '../api/shapes.js';
import { lookOf } from '../ui/states.js';
import type { Look } from '../ui/states.js';
import { stateWord } from '../words.js';
import { STANDING } from '../words/run-names.js';
import { allSteps, isLeaf } from './steps.js';

/** How a task stands, as its badge says it. */
interface Standing extends Look {
  readonly words: string;
}

type Known = Pick<Summary, 'approvals' | 'awaits' | 'status'>;
type Cause = Pick<Explanation['causes'][number], 'code'>;

const MOVING = new Set(['not_started', 'running', 'rolling_back']);
const WAITS = lookOf('waiting');
const BAD: Look = { tone: 'bad', icon: 'alert' };
const A_WHILE_S = 5;

/** Causes that lie outside of the task, and the words for them; the first one found is said. */
const OUTSIDE: readonly (readonly [code: string, words: string])[] = [
  ['CHILD_STUCK', STANDING.child],
  ['BROKER_AWAY', STANDING.broker],
  ['MODULE_NOT_SERVED', STANDING.executor],
  ['COMMAND_NOT_SERVED', STANDING.executor],
  ['SECRET_STORE_AWAY', STANDING.secrets],
  ['WAITS_FOR_LOCK', STANDING.lock],
];

/**
 * How a task stands: its status, or what keeps a task that moves from going on. A person's
 * turn comes first, then what fails again and again, then what lies outside of the task.
 */
export function standingOf(task: Known, causes: readonly Cause[] = []): Standing {
  const { approvals, awaits, status } = task;
  const own = { ...lookOf(status), words: stateWord(status) };
  if (!MOVING.has(status)) return own;
  if (approvals.length > 0) return { ...WAITS, words: STANDING.approval };
  if (awaits?.kind === 'retry') {
    const { retrying, undoRetrying } = STANDING;
    const say = status === 'rolling_back' ? undoRetrying : retrying;
    return { ...BAD, words: say(awaits.attempts) };
  }
  const outside = OUTSIDE.find(([code]) => causes.some((cause) => cause.code === code));
  if (outside !== undefined) return { ...WAITS, words: outside[1] };
  return awaits === null ? own : { ...WAITS, words: STANDING[awaits.kind] };
}

/** The run that keeps a task from going on, which its page shows until a person picks another. */
export function blockingStep({ status, steps, lastError }: Blocked): string | null {
  if (!MOVING.has(status)) return lastError?.step ?? null;
  const halves = halvesOf(steps);
  const asks = halves.find(({ run }) => run.waitsFor === 'approval');
  const found = asks ?? halves.find(isTriedAgain) ?? halves.find(isWaiting);
  return found?.id ?? lastError?.step ?? null;
}

/**
 * The run that has been under way for a while, at a moment in seconds since 1970; empty: there is
 * none. Runs that end sooner would take turns on the page.
 */
export function lastingStep(
  { status, steps }: Pick<Blocked, 'status' | 'steps'>,
  present: number,
): string {
  if (!MOVING.has(status)) return '';
  const lasting = halvesOf(steps).find(({ run: { timeStart } }) => {
    return timeStart !== null && present - timeStart >= A_WHILE_S;
  });
  return lasting?.id ?? '';
}

interface Blocked extends Pick<Summary, 'status'> {
  readonly steps: readonly Step[];
  readonly lastError: { readonly step: string | null } | null;
}

/** A half of a step that is under way. */
interface Half {
  readonly id: string;
  readonly run: Run;
  readonly isUndo: boolean;
}

const OPEN = new Set(['queued', 'running', 'waiting']);

function halvesOf(steps: readonly Step[]): readonly Half[] {
  return allSteps(steps).flatMap(({ step }) => {
    const { id, rollback } = step;
    const halves: Half[] = isLeaf(step) ? [{ id, run: step, isUndo: false }] : [];
    if (rollback) halves.push({ id, run: rollback, isUndo: true });
    return halves.filter(({ run }) => OPEN.has(run.state));
  });
}

/** Whether it failed before. A look at work that goes on elsewhere has no code. */
function isTriedAgain({ run }: Half): boolean {
  const isLate = run.state === 'waiting' && run.waitsFor === undefined;
  return run.message !== null && run.code !== 0 && (isLate || run.attempts > 1);
}

function isWaiting({ run }: Half): boolean {
  return run.state === 'waiting';
}
