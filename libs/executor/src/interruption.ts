import { map, merge, Observable, of, switchMap, take } from 'rxjs';
import type { Outcome } from '#core';
import type { AbortSignalLike, Clock, CommandContext } from '#ports';
import { messageOf } from './failure-outcome.js';

/** How long an aborted command gets to answer by itself, in milliseconds. */
export const ABORT_GRACE_MS = 500;

/** The limit on a command's time, and the patience with an aborted one. */
interface InterruptionTerms {
  readonly clock: Clock;
  /** Asked when the signal is aborted; 0: the command is not waited for. */
  readonly graceMs: () => number;
}

/** Emits once: the outcome of a command that has not answered when it had to. */
export function interruption(
  context: CommandContext,
  { clock, graceMs }: InterruptionTerms,
): Observable<Outcome> {
  const { signal } = context;
  const unheeded = aborted(signal).pipe(
    switchMap(() => after(graceMs(), clock)),
    map((): Outcome => ({ kind: 'handed_back', message: messageOf(signal.reason) })),
  );
  return merge(timeOver(context, clock), unheeded).pipe(take(1));
}

function timeOver(context: CommandContext, clock: Clock): Observable<Outcome> {
  const ms = Math.ceil(context.timeLeft());
  const isTheLast = context.attemptDeadline >= context.deadline;
  return after(ms, clock).pipe(
    map((): Outcome => {
      if (!isTheLast) {
        const message = `no result within ${spanText(ms)}`;
        return { kind: 'failed', terminal: false, failure: 'TIMED_OUT', message };
      }
      const message =
        context.attempt === 1
          ? `no result: its ${spanText(ms)} are over`
          : `no result: the time for all attempts is over, ${spanText(ms)} into this one`;
      return { kind: 'timed_out', message };
    }),
  );
}

/** To a tenth of a second: the first milliseconds of a timeout pass before the command begins. */
function spanText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function aborted(signal: AbortSignalLike): Observable<void> {
  return new Observable((subscriber) => {
    const tell = (): void => subscriber.next();
    if (signal.aborted) return tell();
    signal.addEventListener('abort', tell, { once: true });
    return () => signal.removeEventListener('abort', tell);
  });
}

/** Like rxjs' `timer`, on our clock. */
function after(ms: number, clock: Clock): Observable<void> {
  if (ms <= 0) return of(undefined);
  return new Observable((subscriber) => {
    const timer = clock.after(ms, () => subscriber.next());
    return () => timer.cancel();
  });
}
