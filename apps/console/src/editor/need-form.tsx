import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { EDITOR } from '../words/editor.js';
import type { StepChange } from './step-edit.js';
import { nameFault } from './step-fields.js';
import { TextBox } from './text-box.js';

interface NeedFormProps {
  readonly kind: string;
  readonly name: string;
  readonly needs: readonly string[];
  /** Names of the other steps of its list. */
  readonly others: readonly string[];
  readonly isGraph: boolean;
  readonly onChange: (change: StepChange) => void;
}

const { step: TEXT } = EDITOR;

interface NeedBoxesProps {
  /** Names of the steps that may be needed. */
  readonly all: readonly string[];
  readonly needs: readonly string[];
  readonly onNeeds: (needs: readonly string[]) => void;
}

/** The name of a step of another kind, and what it needs; the text has the rest of it. */
export function NeedForm(props: NeedFormProps): JSX.Element {
  const { isGraph, kind, name: written, onChange, others } = props;
  const id = useId();
  const [typed, type] = useState<Partial<Pick<NeedFormProps, 'name' | 'needs'>>>({});
  const [error, say] = useState<string | null>(null);
  const { name, needs } = { name: written, needs: props.needs, ...typed };
  const submit = (event: Event): void => {
    event.preventDefault();
    const fault = nameFault(name, others);
    say(fault);
    if (fault !== null) return;
    type({});
    onChange({ name, ...(isGraph && typed.needs !== undefined && { needs }) });
  };
  return (
    <form class="step-form" aria-labelledby={`${id}-title`} onSubmit={submit} noValidate>
      <h3 id={`${id}-title`}>{TEXT.form(written)}</h3>
      <p>{TEXT.kindInText(kind)}</p>
      <TextBox label={TEXT.name} value={name} onType={(text) => type({ ...typed, name: text })} />
      {isGraph && (
        <NeedBoxes all={others} needs={needs} onNeeds={(all) => type({ ...typed, needs: all })} />
      )}
      <p role="alert" class="error-text">
        {error}
      </p>
      <div class="buttons">
        <button type="submit" class="main">
          {TEXT.apply}
        </button>
      </div>
    </form>
  );
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
