import type { Deadline, Estimate } from './estimate.js';
import { PAST_MIN, type Uncounted } from './remaining.js';
import { type Shown, timeText } from '../requests/shown.js';

/** Steps that one answer names. */
const NAMED_MAX = 20;

/** An estimate as HTTP shows it. Durations are seconds. */
export type PublicEstimate = Shown<'Estimate'>;

/** Shows an estimate. */
export function presentEstimate(estimate: Estimate): PublicEstimate {
  const { deadline, direction, flowVersion, p50Ms, p95Ms, tasks, uncounted, unknown } = estimate;
  return {
    direction,
    message: tell(estimate),
    p50: p50Ms === null ? null : p50Ms / 1_000,
    p95: p95Ms === null ? null : p95Ms / 1_000,
    tasks,
    flowVersion,
    unknown: unknown.slice(0, NAMED_MAX),
    uncounted: uncounted.slice(0, NAMED_MAX),
    deadline: deadline && presentDeadline(deadline),
  };
}

function presentDeadline({ abortBy, at, risk }: Deadline): PublicEstimate['deadline'] {
  return { at: timeText(at), risk, abortBy: abortBy === null ? null : timeText(abortBy) };
}

/** An estimate for people. */
function tell(estimate: Estimate): string {
  return `${tellTime(estimate)}${tellUncounted(estimate)}`;
}

function tellTime(estimate: Estimate): string {
  const { direction, flowVersion, p50Ms, p95Ms, tasks, unknown } = estimate;
  const what = direction === 'forward' ? 'The rest' : 'Undoing';
  if (p50Ms !== null && p95Ms !== null) {
    if (p95Ms === 0) return `${what} takes no time.`;
    const which = flowVersion === null ? '' : ` of version ${flowVersion}`;
    const from = `as the last ${tasks} tasks${which} went`;
    return `${what} takes ${toldRange(p50Ms, p95Ms)}, ${from}.`;
  }
  const ends = direction === 'forward' ? 'succeeded' : 'been rolled back';
  const [step] = unknown;
  const why =
    tasks < PAST_MIN || step === undefined
      ? `fewer than ${PAST_MIN} tasks of the flow have ${ends} unaided`
      : `no past task tells of step ${step}`;
  return `How long it takes is not known: ${why}.`;
}

const WHY: Readonly<Record<Uncounted, (step: string) => string>> = {
  approval: (step) => `the wait for an approval in step ${step}`,
  signal: (step) => `the wait for a signal in step ${step}`,
  time: (step) => `the wait for a moment in step ${step}`,
  children: (step) => `the time until the child tasks of step ${step} move`,
  late: (step) => `the rest of step ${step}, which never took so long before`,
  paused: () => 'the time until a person resumes the task',
  hold: () => 'the time until a person acts on the task',
};

function tellUncounted({ uncounted }: Estimate): string {
  const named = uncounted.slice(0, NAMED_MAX).map(({ step, why }) => WHY[why](step ?? ''));
  return named.length === 0 ? '' : ` Not counted: ${named.join('; ')}.`;
}

/** The two figures of an estimate for people. */
export function toldRange(p50Ms: number, p95Ms: number): string {
  const [half, most] = [told(p50Ms), told(p95Ms)];
  return half === most ? `about ${half}` : `about ${half}, and up to ${most} in 95 of 100 cases`;
}

/** A duration for people. */
export function told(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
