import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Flow } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { TextField } from '../ui/fields.js';
import { WORDS } from '../words.js';
import { described, FieldFault, useFirstFault } from '../ui/field-fault.js';
import { type Fault, type FormFaults, pointerTo } from '../ui/form-faults.js';
import { useSending } from '../ui/sending.js';
import { GIVEN, type OnlyChoice, OnlyFields, onlyMembers } from './only-fields.js';
import {
  fieldsOf,
  type InputField,
  labelsOf,
  PARAMETERS,
  parametersOf,
  textOf,
} from './start-input.js';
import { type StepAgain, textsOf } from './step-again.js';

interface StartFormProps {
  readonly flow: Flow;
  /** The values that the form begins with; null: none. */
  readonly again: StepAgain | null;
  readonly only: OnlyChoice;
  readonly onOnly: (choice: OnlyChoice) => void;
}

interface FieldProps {
  readonly field: InputField;
  readonly fault: string | undefined;
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** Starts a task; its fields are the members of the flow's input. */
export function StartForm({ again, flow, onOnly, only }: StartFormProps): JSX.Element {
  const fields = fieldsOf(flow.input);
  const [typed, type] = useState(() => textsOf(fields, again).typed);
  const [more, setMore] = useState(() => textsOf(fields, again).more);
  const [labels, setLabels] = useState('');
  const isOpen = flow.input?.additionalProperties !== false || fields.length === 0;
  const { faults, start } = useStart(flow.name, placesOf({ fields, isOpen, only }));
  const form = useFirstFault(faults);
  const at = (place: string): string | undefined => faults.at.get(place);
  const submit = (event: Event): void => {
    event.preventDefault();
    void start(orderOf({ parameters: parametersOf(fields, typed, more), labels, only }));
  };
  return (
    <section class="panel" aria-labelledby="start-title">
      <h2 id="start-title">{WORDS.flows.startOne}</h2>
      <form ref={form} onSubmit={submit} noValidate>
        {fields.map((field) => (
          <InputBox
            key={field.name}
            field={field}
            fault={at(pointerTo(PARAMETERS, field.name))}
            value={typed[field.name] ?? field.start}
            onType={(text) => type({ ...typed, [field.name]: text })}
          />
        ))}
        {isOpen && (
          <TextField
            name={WORDS.flows.others}
            value={more}
            onType={setMore}
            fault={at(PARAMETERS)}
            isLong
          />
        )}
        <OnlyFields steps={flow.steps} choice={only} onChoose={onOnly} fault={at(GIVEN)} />
        <TextField name={WORDS.flows.labels} value={labels} onType={setLabels} fault={at(LABELS)} />
        <End about={faults.about} />
      </form>
    </section>
  );
}

function End({ about }: Pick<FormFaults, 'about'>): JSX.Element {
  return (
    <>
      <p role="alert" class="error-text">
        {about}
      </p>
      <div class="buttons">
        <button type="submit" class="main">
          {WORDS.flows.start}
        </button>
      </div>
    </>
  );
}

const LABELS = '/labels';

interface Shown {
  readonly fields: readonly InputField[];
  /** Whether further parameters may be written. */
  readonly isOpen: boolean;
  readonly only: OnlyChoice;
}

/** The places of the fields in the body of the request. */
function placesOf({ fields, isOpen, only }: Shown): readonly string[] {
  return [
    ...fields.map(({ name }) => pointerTo(PARAMETERS, name)),
    ...(isOpen ? [PARAMETERS] : []),
    ...(only.step === '' ? [] : [GIVEN]),
    LABELS,
  ];
}

interface Written {
  readonly parameters: ReturnType<typeof parametersOf>;
  readonly labels: string;
  readonly only: OnlyChoice;
}

/** The body of a request for a task, and each mistake in it. */
function orderOf({ labels, only, parameters }: Written): Order {
  const marks = labelsOf(labels);
  const members = onlyMembers(only);
  const isBroken = typeof members === 'string';
  const faults = [
    ...parameters.faults,
    ...(isBroken ? [{ pointer: GIVEN, message: members }] : []),
    ...(marks === null ? [{ pointer: LABELS, message: WORDS.flows.labels }] : []),
  ];
  const body = { parameters: parameters.values, labels: marks ?? {}, ...(isBroken ? {} : members) };
  return { body, faults };
}

interface Order {
  readonly body: Omit<Parameters<typeof api.start>[0], 'flow' | 'key'>;
  readonly faults: readonly Fault[];
}

interface Starting {
  readonly faults: FormFaults;
  readonly start: (order: Order) => Promise<void>;
}

/** Pressed twice, one task is started; another one after the values were changed. */
function useStart(flow: string, places: readonly string[]): Starting {
  const { route } = useLocation();
  const sent = useRef({ text: '', key: newKey() });
  const { faults, send } = useSending(places);
  const start: Starting['start'] = ({ body, faults: found }) =>
    send(found, async () => {
      const text = JSON.stringify(body);
      if (sent.current.text !== text) sent.current = { text, key: newKey() };
      const { taskId } = await api.start({ flow, ...body, key: sent.current.key });
      route(`/console/tasks/${taskId}`);
    });
  return { faults, start };
}

/** A member of a flow's input, asked for as its schema says. */
function InputBox({ fault, field, onType, value }: FieldProps): JSX.Element {
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
          onChange={({ currentTarget }) => onType(currentTarget.value)}>
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
