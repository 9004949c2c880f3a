import type { EventView, TaskView } from '../load/index.js';

/** Faults of a task's journal: gaps, steps out of order, a way back left undone. */
export function journalFaults(task: TaskView, events: readonly EventView[]): readonly string[] {
  const faults: string[] = [];
  const names = task.steps.map(({ name }) => name);
  const indexesOf = (direction: string, kind: string): readonly number[] =>
    events
      .filter((event) => event.direction === direction && event.kind === kind)
      .map(({ step = '' }) => names.indexOf(step));
  if (events.some(({ seq }, index) => seq !== index + 1)) faults.push('its journal has gaps');
  const before = needsOf(task);
  const done = indexesOf('normal', 'succeeded');
  if (!isInOrder(done, before)) faults.push(`its steps succeeded in the order ${done.join()}`);
  const undone = indexesOf('rollback', 'succeeded');
  if (!isInOrder([...undone].reverse(), before))
    faults.push(`it was undone in the order ${undone.join()}`);
  if (task.status === 'rolled_back')
    faults.push(...leftUndone(task, indexesOf('normal', 'started')));
  if (task.status === 'succeeded' && undone.length > 0) faults.push('it succeeded and was undone');
  return faults.map((fault) => `task ${task.taskId}: ${fault}`);
}

/** By step, all that must come before it: what it needs, and what that needs. */
function needsOf({ steps }: TaskView): readonly ReadonlySet<number>[] {
  const names = steps.map(({ name }) => name);
  const direct = steps.map(({ needs }) => needs.map((name) => names.indexOf(name)));
  const all = (index: number): readonly number[] => {
    return (direct[index] ?? []).flatMap((need) => [need, ...all(need)]);
  };
  return steps.map((_, index) => new Set(all(index)));
}

/** Each step once, and none before what it needs. Steps beside each other may come in any order. */
function isInOrder(indexes: readonly number[], before: readonly ReadonlySet<number>[]): boolean {
  return indexes.every((index, place) => {
    const earlier = indexes.slice(0, place);
    return !earlier.includes(index) && !earlier.some((other) => before[other]?.has(index));
  });
}

/** A step that started may have had an effect, whatever became of it. */
function leftUndone({ steps }: TaskView, started: readonly number[]): readonly string[] {
  return [...new Set(started)].flatMap((index) => {
    const step = steps[index];
    const isUndone = !step?.rollback || step.rollback.state === 'succeeded';
    return isUndone ? [] : [`${step.name} was started and is ${step.rollback?.state}`];
  });
}
