import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { described, FieldFault } from './field-fault.js';

interface TextFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly isLong?: boolean;
  /** An example, which stands in an empty field of one line. */
  readonly sample?: string;
  /** The mistake in it; undefined: there is none. */
  readonly fault?: string | undefined;
}

/** A field for a text of one line, or as `isLong` of some lines. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { fault, isLong = false, name, onType, sample, value } = props;
  const id = useId();
  const attributes = described({ id, fault }, null);
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {isLong ? (
        <textarea
          id={id}
          rows={3}
          spellcheck={false}
          value={value}
          {...attributes}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      ) : (
        <input
          id={id}
          value={value}
          placeholder={sample}
          autocomplete="off"
          {...attributes}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      )}
      <FieldFault id={id} fault={fault} />
    </div>
  );
}
