import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Summary } from '../api/shapes.js';
import { SelectedDialog } from '../operations/selected-dialog.js';
import { WORDS } from '../words.js';
import type { Item } from './task-list.js';

interface SelectionBarProps {
  readonly selection: Selection;
  /** The tasks that the list shows. */
  readonly items: readonly Item[];
}

/** The tasks of a list that a person has ticked. */
export interface Selection {
  readonly tasks: ReadonlyMap<string, Summary>;
  readonly turn: (task: Summary, isOn: boolean) => void;
  readonly set: (tasks: readonly Summary[]) => void;
}

/** Most tasks that are ticked; for more there is a search. */
const SELECTED_MAX = 200;

interface SelectionBoxProps {
  readonly task: Summary;
  readonly selection: Selection;
}

/** Acts on the ticked tasks; it stays in view while there are some. */
export function SelectionBar({ items, selection }: SelectionBarProps): JSX.Element {
  const [isActing, setActing] = useState(false);
  const { set, tasks } = selection;
  const { act, all, count, none } = WORDS.selection;
  const readable = items.filter((item): item is Summary => 'flow' in item);
  return (
    <>
      <p role="status" class="unseen">
        {tasks.size > 0 && count(tasks.size)}
      </p>
      {tasks.size > 0 && (
        <div class="selection-bar">
          <b>{count(tasks.size)}</b>
          <button type="button" class="main" onClick={() => setActing(true)}>
            {act}
          </button>
          <button type="button" onClick={() => set(readable)}>
            {all}
          </button>
          <button type="button" class="quiet" onClick={() => set([])}>
            {none}
          </button>
        </div>
      )}
      {isActing && (
        <SelectedDialog
          tasks={[...tasks.values()]}
          onClose={() => setActing(false)}
          onDone={(refused) => set(refused)}
        />
      )}
    </>
  );
}

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
