import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Summary } from '../api/shapes.js';
import { SelectedDialog } from '../operations/selected-dialog.js';
import { WORDS } from '../words.js';
import type { Selection } from './selection.js';
import type { Item } from './task-list.js';

interface SelectionBarProps {
  readonly selection: Selection;
  /** The tasks that the list shows. */
  readonly items: readonly Item[];
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
