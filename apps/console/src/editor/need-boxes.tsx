import type { JSX } from 'preact';
import { EDITOR } from '../words/editor.js';

interface NeedBoxesProps {
  /** Names of the steps that may be needed. */
  readonly all: readonly string[];
  readonly needs: readonly string[];
  readonly onNeeds: (needs: readonly string[]) => void;
}

/** The steps that a step needs: a box for each other step of its list. */
export function NeedBoxes({ all, needs, onNeeds }: NeedBoxesProps): JSX.Element | null {
  if (all.length === 0) return null;
  return (
    <fieldset class="need-boxes">
      <legend>{EDITOR.step.needs}</legend>
      {all.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={needs.includes(name)}
            onChange={({ currentTarget }) => {
              const rest = needs.filter((need) => need !== name);
              onNeeds(currentTarget.checked ? [...rest, name] : rest);
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
