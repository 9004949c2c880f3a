import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';

/** A choice in a list below a text box, which keeps the focus. */
interface Option {
  readonly id: string;
  readonly words: string;
  /** Faint, behind the words. Default: nothing. */
  readonly note?: string;
}

/** The state of such a list. */
export interface Options {
  readonly listId: string;
  /** Number of the option that Enter takes; -1: none. */
  readonly active: number;
  /** Id of its element; undefined: there is none. */
  readonly activeId: string | undefined;
  readonly move: (to: number) => void;
  /** Moves along the list where the key says so; whether it did. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Which of these options is active; `first` (0 or -1) is, whenever `key` changes. */
export function useOptions(count: number, key: string, first: 0 | -1): Options {
  const listId = useId();
  const [state, set] = useState<{ readonly key: string; readonly active: number }>({
    key,
    active: first,
  });
  const active = Math.min(state.key === key ? state.active : first, count - 1);
  const move = (to: number): void => set({ key, active: to });
  const onKey = (event: KeyboardEvent): boolean => {
    const to = targetOf(event.key, { active, count });
    if (to === null || count === 0) return false;
    event.preventDefault();
    move(to);
    return true;
  };
  const activeId = active < 0 ? undefined : `${listId}-${active}`;
  useEffect(() => {
    if (activeId !== undefined) {
      document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
    }
  }, [activeId]);
  return { listId, active, activeId, move, onKey };
}

function targetOf(
  key: string,
  { active, count }: { readonly active: number; readonly count: number },
): number | null {
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return active <= 0 ? count - 1 : active - 1;
  return null;
}

interface OptionListProps {
  readonly label: string;
  readonly options: readonly Option[];
  readonly state: Options;
  readonly onPick: (at: number) => void;
}

/** The list; a text box names it by `aria-controls`. */
export function OptionList({ label, onPick, options, state }: OptionListProps): JSX.Element {
  return (
    <div role="listbox" id={state.listId} aria-label={label} class="options" tabIndex={-1}>
      {options.map(({ id, note, words }, at) => (
        <div
          key={id}
          id={`${state.listId}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === state.active}
          // The box keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => at !== state.active && state.move(at)}
          onClick={() => onPick(at)}
          onKeyDown={({ key }) => key === 'Enter' && onPick(at)}>
          <span>{words}</span>
          {note !== undefined && <span class="faint">{note}</span>}
        </div>
      ))}
    </div>
  );
}
