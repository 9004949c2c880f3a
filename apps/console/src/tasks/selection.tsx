import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Summary } from '../api/shapes.js';
import { WORDS } from '../words.js';

/** The tasks of a list that somebody has ticked. */
export interface Selection {
  readonly tasks: ReadonlyMap<string, Summary>;
  readonly turn: (task: Summary, isOn: boolean) => void;
  readonly set: (tasks: readonly Summary[]) => void;
}

/** Most tasks that are ticked; for more there is a search. */
const SELECTED_MAX = 200;

/** Another search has another selection. */
export function useSelection(key: string): Selection {
  const [state, setState] = useState<{ readonly key: string; readonly tasks: Selection['tasks'] }>({
    key,
    tasks: new Map(),
  });
  const tasks = state.key === key ? state.tasks : new Map<string, Summary>();
  const set = (next: readonly Summary[]): void => {
    const chosen = next.slice(0, SELECTED_MAX).map((task) => [task.taskId, task] as const);
    setState({ key, tasks: new Map(chosen) });
  };
  const turn = (task: Summary, isOn: boolean): void => {
    const others = [...tasks.values()].filter(({ taskId }) => taskId !== task.taskId);
    set(isOn ? [...others, task] : others);
  };
  return { tasks, turn, set };
}

interface SelectionBoxProps {
  readonly task: Summary;
  readonly selection: Selection;
}

/** Ticks one task. */
export function SelectionBox({ selection, task }: SelectionBoxProps): JSX.Element {
  const { flow, taskId } = task;
  return (
    <input
      type="checkbox"
      class="tick"
      aria-label={WORDS.selection.select(`${flow} ${taskId}`)}
      checked={selection.tasks.has(taskId)}
      onChange={({ currentTarget }) => selection.turn(task, currentTarget.checked)}
    />
  );
}
