import type { PlayedRun } from '#workshop/rehearsal';
import { allSteps, type DrilledEvent, type DrilledStep, type Sight } from './gateway.js';

const NUMBERED = /#\d+\//g;

/** A task as it was seen, and the part before the ids of its runs. */
export interface PlacedSight extends Sight {
  readonly path: string;
}

/**
 * The runs of a task that were started and that a drill can have go wrong, in the order in which
 * they were. Its events tell of those too that the task shows no more, such as of a try before.
 */
export function startedRuns({ events, path, task }: PlacedSight): readonly PlayedRun[] {
  const steps = allSteps(task.steps);
  const byPath = new Map(steps.map((step) => [pathOf(step.id), step]));
  const runs = new Map<string, PlayedRun>();
  for (const event of events.filter(isStart)) {
    const run = event.run ?? event.step ?? '';
    const step = byPath.get(pathOf(run));
    if (step?.normal !== undefined) runs.set(run, playedRun(`${path}${run}`, step));
  }
  for (const step of steps) {
    if (step.kind !== 'approve' || step.state === 'pending') continue;
    runs.set(step.id, playedRun(`${path}${step.id}`, step));
  }
  return [...runs.values()];
}

function isStart({ direction, kind }: DrilledEvent): boolean {
  return kind === 'started' && direction === 'normal';
}

function pathOf(run: string): string {
  return run.replaceAll(NUMBERED, '#*/').replace(/~\d+$/, '');
}

function playedRun(run: string, { name, normal, rollback }: DrilledStep): PlayedRun {
  const isCommand = normal !== undefined;
  return {
    run,
    step: name,
    direction: 'normal',
    isCommand,
    silences: isCommand ? [] : ['error'],
    undoHows: howsOf(rollback),
  };
}

/** Nothing gets over a rollback that hangs for as long as all of its attempts may take. */
function howsOf(rollback: DrilledStep['rollback']): PlayedRun['undoHows'] {
  if (!rollback) return [];
  const isBounded = rollback.attemptTimeout !== undefined;
  return isBounded ? ['error', 'time-out', 'crash'] : ['error', 'crash'];
}
