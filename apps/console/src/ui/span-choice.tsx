import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

interface SpanChoiceProps<Name extends string> {
  readonly label: string;
  readonly name: Name;
  /** The spans to choose from, and what each is called. */
  readonly spans: Readonly<Record<Name, string>>;
  readonly onChange: (name: Name) => void;
}

/** The choice of a time span, in the head of a panel. */
export function SpanChoice<Name extends string>(props: SpanChoiceProps<Name>): JSX.Element {
  const { label, name, onChange, spans } = props;
  const id = useId();
  return (
    <div class="span-choice">
      <label class="unseen" for={id}>
        {label}
      </label>
      <select
        id={id}
        value={name}
        onChange={({ currentTarget }) => onChange(currentTarget.value as Name)}
      >
        {(Object.keys(spans) as Name[]).map((one) => (
          <option key={one} value={one}>
            {spans[one]}
          </option>
        ))}
      </select>
    </div>
  );
}
