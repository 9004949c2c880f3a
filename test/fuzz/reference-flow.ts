import { COMMANDS, type LooseAction, type LooseRetry, type LooseStep } from './written-flows.js';

/** How many attempts of each step's halves fail, by position. */
export interface Failures {
  readonly normal: readonly number[];
  readonly rollback: readonly number[];
}

/** The actions of a task, one after the other; of several, the first of the list goes first. */
export interface Course {
  /** Every attempt: `>` and the step on the way forward, `<` and the step on the way back. */
  readonly attempts: readonly string[];
  readonly end: 'rollback_failed' | 'rolled_back' | 'succeeded';
}

/**
 * The course of these steps by the rules of `docs/write-a-flow.md`, in the shortest code; null:
 * they are no flow.
 */
export function courseOf(steps: readonly LooseStep[], failures: Failures): Course | null {
  const needs = needsOf(steps);
  const isSoundStep = ({ normal, rollback }: LooseStep) => isSound(normal) && isSound(rollback);
  if (needs === null || steps.length === 0 || !steps.every(isSoundStep)) return null;
  const forward = sequence([...steps.keys()], (i, done) => needs[i]!.every((n) => done.has(n)));
  if (forward.length < steps.length) return null;
  const names = namesOf(steps);
  const attempts: string[] = [];
  for (const [place, i] of forward.entries()) {
    const { count, isDone } = play(steps[i]!.normal, failures.normal[i] ?? 0);
    attempts.push(...Array.from({ length: count }, () => `>${names[i]}`));
    if (!isDone) return wayBack(forward.slice(0, place + 1));
  }
  return { attempts, end: 'succeeded' };

  function wayBack(ran: readonly number[]): Course {
    const isSilent = (i: number) => (steps[i]!.rollback ?? null) === null;
    const sorted = [...ran].sort((a, b) => Number(isSilent(b)) - Number(isSilent(a)) || a - b);
    const isFree = (i: number, done: ReadonlySet<number>) =>
      ran.every((other) => !needs![other]!.includes(i) || done.has(other));
    for (const i of sequence(sorted, isFree)) {
      if (isSilent(i)) continue;
      const { count, isDone } = play(steps[i]!.rollback!, failures.rollback[i] ?? 0);
      attempts.push(...Array.from({ length: count }, () => `<${names[i]}`));
      if (!isDone) return { attempts, end: 'rollback_failed' };
    }
    return { attempts, end: 'rolled_back' };
  }
}

/** Always the first that is ready, until none is. */
function sequence(
  all: readonly number[],
  isReady: (i: number, done: ReadonlySet<number>) => boolean,
): readonly number[] {
  const done = new Set<number>();
  const next = () => all.find((i) => !done.has(i) && isReady(i, done));
  for (let i = next(); i !== undefined; i = next()) done.add(i);
  return [...done];
}

/** As written, or called after the command, with the first number that is free. */
function namesOf(steps: readonly LooseStep[]): readonly string[] {
  const names = new Set(steps.flatMap(({ name }) => name ?? []));
  return steps.map(({ name, normal }) => {
    if (name !== undefined) return name;
    const free = (n: number): string => (n === 1 ? normal.command : `${normal.command}-${n}`);
    let n = 1;
    while (names.has(free(n))) n += 1;
    names.add(free(n));
    return free(n);
  });
}

function needsOf(steps: readonly LooseStep[]): readonly (readonly number[])[] | null {
  const names = namesOf(steps);
  const isGood = names.every((name) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name));
  if (!isGood || new Set(names).size < names.length) return null;
  if (steps.every(({ needs }) => needs === undefined))
    return steps.map((_, i) => (i ? [i - 1] : []));
  const needs = steps.map(({ needs = [] }) => needs.map((name) => names.indexOf(name)));
  const isFaulty = (list: readonly number[]) =>
    list.includes(-1) || new Set(list).size < list.length;
  return needs.some(isFaulty) ? null : needs;
}

function isSound(action: LooseAction | null | undefined): boolean {
  if (action === null || action === undefined) return true;
  const { attemptTimeout, command, module = '', retry = 0, timeout = 300 } = action;
  if (!COMMANDS[module]?.includes(command) || ms(timeout) === null) return false;
  if (attemptTimeout !== undefined && !((ms(attemptTimeout) ?? Infinity) <= ms(timeout)!))
    return false;
  if (typeof retry === 'number') return Number.isInteger(retry) && retry >= 0 && retry <= 999;
  const { attempts = 0, backoff = 'fixed' } = retry;
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > 1_000) return false;
  return ['exponential', 'fixed'].includes(backoff) && waits(retry) !== null;
}

/** First wait and longest wait. */
function waits({
  backoff = 'exponential',
  delay = 1,
  maxDelay,
}: LooseRetry): [number, number] | null {
  const first = ms(delay);
  if (first === null || maxDelay === null) return first === null ? null : [first, Infinity];
  const usual = backoff === 'exponential' ? Math.max(60_000, first) : Infinity;
  const longest = maxDelay === undefined ? usual : ms(maxDelay);
  return longest === null || longest < first ? null : [first, longest];
}

function ms(written: number | string): number | null {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(written)) ?? [];
  const sizes: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
  const value = number === '' ? 0 : Math.round(Number(number) * sizes[unit]!);
  return value >= 1 && value <= 8_760 * 3_600_000 ? value : null;
}

/** Attempts until one is good, or none is left, or the wait would be longer than the time. */
function play(action: LooseAction, failures: number): { count: number; isDone: boolean } {
  const { retry = 0, timeout = 300 } = action;
  const attempts = typeof retry === 'number' ? retry + 1 : retry.attempts!;
  let waited = 0;
  for (let count = 1; count <= failures; count += 1) {
    if (typeof retry === 'object') {
      const [first, longest] = waits(retry)!;
      const grown = retry.backoff === 'fixed' ? first : first * 2 ** (count - 1);
      waited += Math.round(Math.min(grown, longest) * (retry.jitter === true ? 0.75 : 1));
    }
    if (count >= attempts || waited >= ms(timeout)!) return { count, isDone: false };
  }
  return { count: failures + 1, isDone: true };
}
