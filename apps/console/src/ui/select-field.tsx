import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface SelectFieldProps<Choice extends string> {
  readonly name: string;
  readonly value: Choice;
  /** The choices in their order, each with the words for it. */
  readonly choices: Readonly<Record<Choice, string>>;
  readonly onPick: (choice: Choice) => void;
  /** In the head of a panel, which says what it is for: only screen readers hear the name. */
  readonly isInHead?: boolean;
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
        onChange={({ currentTarget }) => onPick(currentTarget.value as Choice)}
      >
        {(Object.keys(choices) as Choice[]).map((each) => (
          <option key={each} value={each}>
            {choices[each]}
          </option>
        ))}
      </select>
    </div>
  );
}
