import type { Action, JournalEntry, JournalKind, StepPlan, Task } from '#core';
import { kindOf } from '#core/flow';
import { firstPlace, placeOf, runIdOf, scopeAt, stepAt, stepsIn } from '#core/scopes';
import { type SpanEvent, type SpanLink, taskAttributes, type ToldSpan } from './told-span.js';
import { attemptSpanId, type RunHalf, runNamed, startOf, startSpanId } from './trace-ids.js';

/** The facts that end an attempt, and whether it failed. */
const ENDS: Readonly<Partial<Record<JournalKind, { readonly isFailure: boolean }>>> = {
  succeeded: { isFailure: false },
  failed: { isFailure: true },
  timed_out: { isFailure: true },
  lease_lost: { isFailure: true },
  handed_back: { isFailure: false },
  called_off: { isFailure: false },
};

/** Facts that are no end of an attempt and happen while it runs. */
const BETWEEN: ReadonlySet<JournalKind> = new Set<JournalKind>(['not_finished']);

/** Whether a fact may end an attempt. */
export function endsAttempt({ kind }: JournalEntry): boolean {
  return kind in ENDS;
}

/**
 * The span of the attempt that an entry ends; null where none ends by it: its action had not been
 * started, or the attempt had ended before, as one does that waits for its retry when the time is
 * over. `system`: what carries messages, for `messaging.system`.
 */
export function attemptSpan(task: Task, ended: JournalEntry, system: string): ToldSpan | null {
  const half = { run: runNamed(ended), direction: ended.direction ?? 'normal' } as const;
  const started = startOf(task, half, ended.attempt);
  const between = started === undefined ? [] : entriesBetween(task, { half, started, ended });
  if (started === undefined && (ended.attempt ?? 0) === 0) return null;
  if (between.some(endsAttempt)) return null;
  const attempt = ended.attempt ?? 0;
  const error = errorOf(task, half, ended);
  const { taskId } = task.plan;
  const work = workOf(task, half, system);
  return {
    ...work,
    spanId: attemptSpanId(taskId, half, { attempt, started }),
    parentId: startSpanId(taskId),
    links: linksOf(task, half, attempt),
    events: between.filter(({ kind }) => BETWEEN.has(kind)).map(eventOf),
    startMs: started?.at ?? ended.at,
    endMs: ended.at,
    error,
    attributes: {
      ...work.attributes,
      ...taskAttributes(task),
      'backstep.step': ended.step ?? '',
      'backstep.run': half.run,
      'backstep.direction': half.direction,
      'backstep.attempt': attempt,
      'backstep.outcome': ended.kind,
      ...(started?.actor !== undefined && { 'backstep.executor': started.actor }),
      ...(error !== null && { 'error.type': error, 'backstep.error.code': error }),
    },
  };
}

/** The work of an attempt: a command that a message asks for, or the step itself. */
function workOf(
  task: Task,
  half: RunHalf,
  system: string,
): Pick<ToldSpan, 'attributes' | 'kind' | 'name'> {
  const action = actionNamed(task, half);
  if (action === undefined) {
    const step = stepNamed(task, half);
    const kind = step === undefined ? 'step' : kindOf(step);
    const name = `${half.direction === 'rollback' ? 'undo ' : ''}${kind} ${step?.name ?? half.run}`;
    return { name, kind: 'internal', attributes: { 'backstep.kind': kind } };
  }
  const { command, module } = action;
  const attributes = {
    'messaging.system': system,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': `backstep.${module}`,
    'backstep.module': module,
    'backstep.command': command,
  };
  return { name: `process ${module}.${command}`, kind: 'consumer', attributes };
}

function entriesBetween(
  { journal }: Task,
  { ended, half, started }: { half: RunHalf; started: JournalEntry; ended: JournalEntry },
): JournalEntry[] {
  return journal.after(started.seq).filter((entry) => {
    if (entry.seq >= ended.seq) return false;
    return entry.direction === half.direction && runNamed(entry) === half.run;
  });
}

function eventOf({ at, kind }: JournalEntry): SpanEvent {
  return { name: kind, at };
}

function actionNamed(task: Task, { direction, run }: RunHalf): Action | undefined {
  const step = stepNamed(task, { direction, run });
  return (direction === 'normal' ? step?.normal : step?.rollback) ?? undefined;
}

function stepNamed(task: Task, { run }: RunHalf): StepPlan | undefined {
  const place = placeOf(task, run);
  return place === null ? undefined : stepAt(task, place);
}

/** The code that the command gave, else the kind of failure. */
function errorOf(task: Task, { direction, run }: RunHalf, ended: JournalEntry): string | null {
  if (ENDS[ended.kind]?.isFailure !== true) return null;
  const place = placeOf(task, run);
  const halves = place === null ? undefined : task.runs[place];
  const half = direction === 'normal' ? halves?.normal : halves?.rollback;
  const own = ended.kind === 'failed' && half?.attempts === ended.attempt ? half?.error : null;
  return own ?? ended.code ?? ended.kind.toUpperCase();
}

/** The attempts from which this one follows: of the same action, of what it undoes or needs. */
function linksOf(task: Task, half: RunHalf, attempt: number): SpanLink[] {
  if (attempt > 1) return linkTo(task, { half, relation: 'retry_of', attempt: attempt - 1 });
  if (half.direction === 'rollback') {
    return linkTo(task, { half: { ...half, direction: 'normal' }, relation: 'undoes' });
  }
  return runsNeeded(task, half.run).flatMap((run) => {
    return linkTo(task, { half: { run, direction: 'normal' }, relation: 'follows' });
  });
}

function linkTo(
  task: Task,
  { attempt, half, relation }: { half: RunHalf; relation: string; attempt?: number },
): SpanLink[] {
  const started = startOf(task, half, attempt);
  if (started === undefined || !hasEnd(task, half, started)) return [];
  const spanId = attemptSpanId(task.plan.taskId, half, { attempt: started.attempt ?? 0, started });
  return [{ spanId, relation }];
}

/** Whether the attempt of a start has a span: a try that is followed by another has no end. */
function hasEnd({ journal }: Task, half: RunHalf, started: JournalEntry): boolean {
  for (const entry of journal.after(started.seq)) {
    if (entry.direction !== half.direction || runNamed(entry) !== half.run) continue;
    if (endsAttempt(entry)) return true;
    if (entry.kind === 'started' && entry.attempt !== started.attempt) return false;
  }
  return false;
}

function runsNeeded(task: Task, run: string): string[] {
  const place = placeOf(task, run);
  if (place === null) return [];
  const scope = scopeAt(task, place);
  const first = firstPlace(task, scope);
  const needs = stepsIn(task, scope)[place - first]?.needs ?? [];
  return needs.map((need) => runIdOf(task, first + need));
}
