import type { EventView, TaskView } from '../load/index.js';

/** Faults of a chain's journal: gaps, steps out of order, a way back left undone. */
export function journalFaults(task: TaskView, events: readonly EventView[]): readonly string[] {
  const faults: string[] = [];
  const names = task.steps.map(({ name }) => name);
  const indexesOf = (direction: string, kind: string): readonly number[] =>
    events
      .filter((event) => event.direction === direction && event.kind === kind)
      .map(({ step = '' }) => names.indexOf(step));
  if (events.some(({ seq }, index) => seq !== index + 1)) faults.push('its journal has gaps');
  const done = indexesOf('normal', 'succeeded');
  if (!isClimbing(done)) faults.push(`its steps succeeded in the order ${done.join()}`);
  const undone = indexesOf('rollback', 'succeeded');
  if (!isClimbing([...undone].reverse()))
    faults.push(`it was undone in the order ${undone.join()}`);
  if (task.status === 'rolled_back')
    faults.push(...leftUndone(task, indexesOf('normal', 'started')));
  if (task.status === 'succeeded' && undone.length > 0) faults.push('it succeeded and was undone');
  return faults.map((fault) => `task ${task.taskId}: ${fault}`);
}

function isClimbing(indexes: readonly number[]): boolean {
  return indexes.every((index, place) => place === 0 || index > indexes[place - 1]!);
}

/** A step that started may have had an effect, whatever became of it. */
function leftUndone({ steps }: TaskView, started: readonly number[]): readonly string[] {
  return [...new Set(started)].flatMap((index) => {
    const step = steps[index];
    const isUndone = !step?.rollback || step.rollback.state === 'succeeded';
    return isUndone ? [] : [`${step.name} was started and is ${step.rollback?.state}`];
  });
}
