import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import type { Flow } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { WORDS } from '../words.js';
import { type OnlyChoice, OnlyFields, onlyMembers } from './only-fields.js';
import { fieldsOf, type InputField, labelsOf, parametersOf, textOf } from './start-input.js';
import { TextField } from './text-field.js';
import { type StepAgain, textsOf } from './step-again.js';

interface StartFormProps {
  readonly flow: Flow;
  /** The values that the form begins with; null: none. */
  readonly again: StepAgain | null;
  readonly only: OnlyChoice;
  readonly onOnly: (choice: OnlyChoice) => void;
}

/** Starts a task; its fields are the members of the flow's input. */
export function StartForm({ again, flow, onOnly, only }: StartFormProps): JSX.Element {
  const fields = fieldsOf(flow.input);
  const [typed, type] = useState(() => textsOf(fields, again).typed);
  const [more, setMore] = useState(() => textsOf(fields, again).more);
  const [labels, setLabels] = useState('');
  const { error, start } = useStart(flow.name);
  const submit = (event: Event): void => {
    event.preventDefault();
    const parameters = parametersOf(fields, typed, more);
    const marks = labelsOf(labels);
    void start(parameters, marks ?? WORDS.flows.labels, onlyMembers(only));
  };
  const isOpen = flow.input?.additionalProperties !== false;
  return (
    <section class="panel" aria-labelledby="start-title">
      <h2 id="start-title">{WORDS.flows.startOne}</h2>
      <form onSubmit={submit} noValidate>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={typed[field.name] ?? field.start}
            onType={(text) => type({ ...typed, [field.name]: text })}
          />
        ))}
        {(isOpen || fields.length === 0) && (
          <TextField name={WORDS.flows.others} value={more} onType={setMore} isLong />
        )}
        <OnlyFields steps={flow.steps} choice={only} onChoose={onOnly} />
        <TextField name={WORDS.flows.labels} value={labels} onType={setLabels} />
        <p role="alert" class="error-text">
          {error}
        </p>
        <div class="buttons">
          <button type="submit" class="main">
            {WORDS.flows.start}
          </button>
        </div>
      </form>
    </section>
  );
}

type Values = Parameters<typeof api.start>[0]['parameters'];

interface Starting {
  readonly error: string | null;
  /** A text in the place of values says what is wrong with them. */
  readonly start: (
    parameters: Values | string,
    labels: Values | string,
    only: Values | string,
  ) => Promise<void>;
}

/** Pressed twice, one task is started; another one after the values were changed. */
function useStart(flow: string): Starting {
  const { route } = useLocation();
  const sent = useRef({ text: '', key: newKey() });
  const [error, say] = useState<string | null>(null);
  const start: Starting['start'] = async (parameters, labels, only) => {
    if (typeof parameters === 'string') return say(parameters);
    if (typeof labels === 'string') return say(labels);
    if (typeof only === 'string') return say(only);
    const text = JSON.stringify([parameters, labels, only]);
    if (sent.current.text !== text) sent.current = { text, key: newKey() };
    try {
      const order = { flow, parameters, labels, ...only, key: sent.current.key };
      const { taskId } = await api.start(order);
      route(`/console/tasks/${taskId}`);
    } catch (failure) {
      say(failure instanceof Refused ? sentencesOf(failure) : WORDS.away);
    }
  };
  return { error, start };
}

function sentencesOf({ message, problem }: Refused): string {
  const faults = (problem.errors ?? []).flatMap(({ message: fault, pointer }) =>
    fault === undefined || message.includes(fault) ? [] : [`${pointer}: ${fault}`],
  );
  return [message, ...faults].join(' ');
}

interface FieldProps {
  readonly field: InputField;
  readonly value: string;
  readonly onType: (text: string) => void;
}

function Field({ field, onType, value }: FieldProps): JSX.Element {
  const id = useId();
  const { about, choices, isNeeded, kind, name, title } = field;
  const options = kind === 'yes-no' ? ['true', 'false'] : choices.map(textOf);
  return (
    <div class="field">
      <label for={id}>
        {title}
        {title !== name && (
          <>
            {' '}
            <code class="faint">{name}</code>
          </>
        )}
        {isNeeded && <span class="faint">{` (${WORDS.flows.needed})`}</span>}
      </label>
      {options.length > 0 ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onType(currentTarget.value)}>
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
          {...(about !== '' && { 'aria-describedby': `${id}-about` })}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      )}
      {about !== '' && (
        <p id={`${id}-about`} class="faint">
          {about}
        </p>
      )}
    </div>
  );
}
