import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { EDITOR } from '../words/editor.js';

interface TextBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  /** Texts that are offered; others may be written. */
  readonly choices?: readonly string[];
  readonly about?: string;
  readonly isNeeded?: boolean;
  /** Whether the form begins with it. */
  readonly isFirst?: boolean;
}

/** A box for one line of text. */
export function TextBox(props: TextBoxProps): JSX.Element {
  const {
    about = '',
    choices = [],
    isFirst = false,
    isNeeded = false,
    label,
    onType,
    value,
  } = props;
  const id = useId();
  const element = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) element.current?.focus();
  }, []);
  const box = {
    id,
    value,
    autocomplete: 'off',
    spellcheck: false,
    ref: element,
    ...(about !== '' && { 'aria-describedby': `${id}-about` }),
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onType(currentTarget.value),
  } as const;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isNeeded && <span class="faint">{` (${EDITOR.step.needed})`}</span>}
      </label>
      {choices.length === 0 ? <input {...box} /> : <input list={`${id}-choices`} {...box} />}
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </datalist>
      )}
      {about !== '' && (
        <p id={`${id}-about`} class="faint">
          {about}
        </p>
      )}
    </div>
  );
}
