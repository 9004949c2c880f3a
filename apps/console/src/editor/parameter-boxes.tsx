import type { JSX } from 'preact';
import { EDITOR } from '../words/editor.js';
import type { ParameterField } from './step-fields.js';
import { TextBox } from './text-box.js';

interface ParameterBoxesProps {
  readonly fields: readonly ParameterField[];
  readonly typed: Readonly<Record<string, string>>;
  readonly onType: (typed: Readonly<Record<string, string>>) => void;
}

/** A box for each parameter that is a text, a number or the like. */
export function ParameterBoxes({ fields, onType, typed }: ParameterBoxesProps): JSX.Element | null {
  if (fields.length === 0) return null;
  return (
    <fieldset>
      <legend>{EDITOR.step.parameters}</legend>
      <div class="step-fields">
        {fields.map(({ about, choices, isNeeded, name, start }) => (
          <TextBox
            key={name}
            label={name}
            value={typed[name] ?? start}
            onType={(text) => onType({ ...typed, [name]: text })}
            {...{ about, choices, isNeeded }}
          />
        ))}
      </div>
    </fieldset>
  );
}
