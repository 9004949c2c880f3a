import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface TextFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly isLong?: boolean;
}

/** A field for a text of one line, or as `isLong` of some lines. */
export function TextField({ isLong = false, name, onType, value }: TextFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {isLong ? (
        <textarea
          id={id}
          rows={3}
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          value={value}
          autocomplete="off"
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      )}
    </div>
  );
}
