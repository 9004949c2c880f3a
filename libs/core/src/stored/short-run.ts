import {
  type ActionRun,
  type Draft,
  FRESH_RUNS,
  NOTHING_TO_UNDO,
  PENDING_RUN,
} from '../task/action-run.js';
import { isObject } from '../json/shape.js';

/** The state of a run that has not begun: there is nothing else to tell of it. */
type FreshRun = 'pending' | 'none';

/** A moment as JSON has it, which has no number without end. */
type ShortMoment = number | 'never';

/**
 * A run for JSON: members that are as in a run that was never reached are absent, which are most of
 * them. Two runs have the same short form only if they are the same.
 */
type ShortRun =
  | FreshRun
  | (Partial<Omit<ActionRun, 'dueAt' | 'deadline'>> & {
      readonly dueAt?: ShortMoment;
      readonly deadline?: ShortMoment;
    });

/** Short form of a run. */
export function shortRunOf(run: ActionRun): ShortRun {
  if (FRESH_RUNS.has(run)) return run.state as FreshRun;
  const short: Draft<Exclude<ShortRun, FreshRun>> = { state: run.state };
  if (run.code !== 0) short.code = run.code;
  if (run.error !== null) short.error = run.error;
  if (run.message !== null) short.message = run.message;
  if (run.startedAt !== null) short.startedAt = run.startedAt;
  if (run.endedAt !== null) short.endedAt = run.endedAt;
  if (run.attempts !== 0) short.attempts = run.attempts;
  if (run.refused !== 0) short.refused = run.refused;
  if (run.spent !== 0) short.spent = run.spent;
  if (run.crashes !== 0) short.crashes = run.crashes;
  if (run.dispatches !== 0) short.dispatches = run.dispatches;
  if (run.dueAt !== null) short.dueAt = shortMoment(run.dueAt);
  if (run.orderAt !== null) short.orderAt = run.orderAt;
  if (run.deadline !== null) short.deadline = shortMoment(run.deadline);
  if (run.look !== 'none') short.look = run.look;
  if (run.lease !== null) short.lease = run.lease;
  if (run.output !== null) short.output = run.output;
  if (run.values !== null) short.values = run.values;
  return short;
}

/**
 * The run behind its short form, which anybody may have written: what is no run is given back as
 * something that the check of the task rejects.
 */
export function runOfShort(short: unknown): ActionRun {
  if (short === 'pending') return PENDING_RUN;
  if (short === 'none') return NOTHING_TO_UNDO;
  if (!isObject(short)) return short as ActionRun;
  const run: Partial<Record<keyof ActionRun, unknown>> = short;
  return {
    state: run.state,
    code: run.code ?? 0,
    error: run.error ?? null,
    message: run.message ?? null,
    startedAt: run.startedAt ?? null,
    endedAt: run.endedAt ?? null,
    attempts: run.attempts ?? 0,
    refused: run.refused ?? 0,
    spent: run.spent ?? 0,
    crashes: run.crashes ?? 0,
    dispatches: run.dispatches ?? 0,
    dueAt: momentOf(run.dueAt ?? null),
    orderAt: run.orderAt ?? null,
    deadline: momentOf(run.deadline ?? null),
    look: run.look ?? 'none',
    lease: run.lease ?? null,
    output: run.output ?? null,
    values: run.values ?? null,
  } as ActionRun;
}

function shortMoment(moment: number): ShortMoment {
  return moment === Infinity ? 'never' : moment;
}

function momentOf(short: unknown): unknown {
  return short === 'never' ? Infinity : short;
}
