import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { described, FieldFault } from '../ui/field-fault.js';
import { WORDS } from '../words.js';
import { type InputField, textOf } from './start-input.js';

interface FieldProps {
  readonly field: InputField;
  readonly fault: string | undefined;
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** A member of a flow's input, asked for as its schema says. */
export function InputBox({ fault, field, onType, value }: FieldProps): JSX.Element {
  const id = useId();
  const { about, choices, isNeeded, kind, title } = field;
  const attributes = described({ id, fault }, about === '' ? null : `${id}-about`);
  const options = kind === 'yes-no' ? ['true', 'false'] : choices.map(textOf);
  return (
    <div class="field">
      <label for={id}>
        {title}
        <FieldMarks {...field} />
      </label>
      {options.length > 0 ? (
        <select
          id={id}
          value={value}
          {...attributes}
          onChange={({ currentTarget }) => onType(currentTarget.value)}
        >
          <option value="">{WORDS.flows.unset}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          required={isNeeded}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          autocomplete="off"
          {...(kind === 'secret' && { type: 'password' as const })}
          {...attributes}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      )}
      <FieldFault id={id} fault={fault} />
      {about !== '' && (
        <p id={`${id}-about`} class="faint">
          {about}
        </p>
      )}
    </div>
  );
}

/** Behind the title: the name, where that differs, and whether a value is required. */
function FieldMarks({ isNeeded, name, title }: InputField): JSX.Element {
  return (
    <>
      {title !== name && (
        <>
          {' '}
          <code class="faint">{name}</code>
        </>
      )}
      {isNeeded && <span class="faint">{` (${WORDS.flows.needed})`}</span>}
    </>
  );
}
