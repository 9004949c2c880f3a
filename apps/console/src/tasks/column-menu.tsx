import type { JSX } from 'preact';
import { WORDS } from '../words.js';
import { type Column, COLUMNS } from './columns.js';

interface ColumnMenuProps {
  readonly columns: readonly Column[];
  readonly onChoose: (columns: readonly Column[]) => void;
}

/** Chooses the columns of the list of tasks. */
export function ColumnMenu({ columns, onChoose }: ColumnMenuProps): JSX.Element {
  const turn = (column: Column, isOn: boolean): void => {
    onChoose(COLUMNS.filter((each) => (each === column ? isOn : columns.includes(each))));
  };
  const { choose, names } = WORDS.columns;
  return (
    <details class="more columns-menu">
      <summary>{choose}</summary>
      <div class="more-list" role="group" aria-label={choose}>
        {COLUMNS.map((column) => (
          <label key={column} class="choice">
            <input
              type="checkbox"
              checked={columns.includes(column)}
              onChange={({ currentTarget }) => turn(column, currentTarget.checked)}
            />
            {names[column]}
          </label>
        ))}
      </div>
    </details>
  );
}
