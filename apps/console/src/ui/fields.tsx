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

interface SelectFieldProps<Choice extends string> {
  readonly name: string;
  readonly value: Choice;
  /** The choices in their order, each with the words for it. */
  readonly choices: Readonly<Record<Choice, string>>;
  readonly onPick: (choice: Choice) => void;
  /** In the head of a panel, which says what it is for: only screen readers hear the name. */
  readonly isInHead?: boolean;
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

/** A field for one of a few choices. */
export function SelectField<Choice extends string>(props: SelectFieldProps<Choice>): JSX.Element {
  const { choices, isInHead = false, name, onPick, value } = props;
  const id = useId();
  return (
    <div class={isInHead ? 'span-choice' : 'field'}>
      <label class={isInHead ? 'unseen' : undefined} for={id}>
        {name}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => onPick(currentTarget.value as Choice)}>
        {(Object.keys(choices) as Choice[]).map((each) => (
          <option key={each} value={each}>
            {choices[each]}
          </option>
        ))}
      </select>
    </div>
  );
}
