import type { JsonValue } from '#core';
import { codeOf } from '../names.js';
import { below, isObject, listIn, memberOf, numberIn } from '../source.js';
import type { Trying } from '../step.js';
import type { Scope } from './document.js';
import type { State } from './state-graph.js';

const ANY = new Set(['States.ALL', 'States.TaskFailed']);

/** Codes of the errors that a retrier or a catcher names; null: any. */
export function codesOf(value: JsonValue, pointer: string, { target }: Scope): string[] | null {
  const codes: string[] = [];
  for (const name of listIn(value, 'ErrorEquals')) {
    if (typeof name !== 'string') continue;
    if (ANY.has(name)) return null;
    const code = codeOfError(name);
    const isOwn = !name.startsWith('States.');
    if (isOwn) {
      const message = `Errors \`${name.slice(0, 60)}\` must have the code \`${code}\` in the executor.`;
      target.notes.add(below(pointer, 'ErrorEquals'), 'ERROR_CODE', message);
    }
    codes.push(code);
  }
  return [...new Set(codes)].slice(0, 100);
}

/** The code of an error that Step Functions or a machine names. */
export function codeOfError(name: string): string {
  if (name === 'States.Timeout' || name === 'States.HeartbeatTimeout') return 'TIMED_OUT';
  return codeOf(name.replace(/^States\./, ''));
}

/** One way of trying again, of all the retriers of a state. */
export function tryingOf({ pointer, value }: State, scope: Scope): Trying | undefined {
  const at = below(pointer, 'Retry');
  const retriers = listIn(value, 'Retry').filter(isObject);
  const never = retriers
    .filter((retrier) => numberIn(retrier, 'MaxAttempts') === 0)
    .flatMap((retrier) => codesOf(retrier, at, scope) ?? []);
  const trying = retriers.filter((retrier) => numberIn(retrier, 'MaxAttempts') !== 0);
  const [first, ...others] = trying;
  if (first === undefined) return undefined;
  const { notes } = scope.target;
  if (others.length > 0) {
    const message =
      'An action has one retry policy. That of the first retrier is used for all errors.';
    notes.add(at, 'RETRY_CHANGED', message);
  }
  const rate = numberIn(first, 'BackoffRate') ?? 2;
  if (rate !== 1 && rate !== 2) {
    notes.add(at, 'RETRY_CHANGED', `Each delay is twice the one before, not ${rate} times.`);
  }
  const codes = trying.map((retrier) => codesOf(retrier, at, scope));
  return {
    attempts: Math.floor(numberIn(first, 'MaxAttempts') ?? 3) + 1,
    delay: numberIn(first, 'IntervalSeconds') ?? 1,
    backoff: rate === 1 ? 'fixed' : 'exponential',
    maxDelay: numberIn(first, 'MaxDelaySeconds'),
    jitter: memberOf(first, 'JitterStrategy') === 'FULL',
    only: codes.includes(null) ? undefined : [...new Set(codes.flatMap((each) => each ?? []))],
    never,
  };
}
