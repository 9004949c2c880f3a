import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Operation } from '../api/shapes.js';
import { newKey, pause } from '../browser/clock.js';
import { ReasonField } from '../ui/dialog-parts.js';
import { useFirstFault } from '../ui/field-fault.js';
import type { Fault, FormFaults } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { useSending } from '../ui/sending.js';
import { TextField } from '../ui/fields.js';
import { WORDS } from '../words.js';
import {
  ACTIONS,
  bodyOf,
  needsStep,
  type OperationForm,
  type Rehearsal,
  takesStep,
  triedOf,
  wordsOf,
} from './operation-form.js';
import { outcomeWords } from './outcome-words.js';

interface OperationDialogProps {
  /** Which tasks. */
  readonly q: string;
  readonly onClose: () => void;
}

/** Between two looks at a dry run, in milliseconds. */
const LOOK_MS = 500;

const STEP = '/step';
const REASON = '/reason';
/** The places of the fields in the body of the request. */
export const PLACES = [STEP, '/to', REASON];

/** Asks what to do to all tasks that match, and why; tries it out, and then does it. */
export function OperationDialog({ onClose, q }: OperationDialogProps): JSX.Element {
  const [form, set] = useState<OperationForm>({ action: 'retry', reason: '', step: '' });
  const { change, faults, isBusy, start, tried, tryOut } = useOperation(q, form, set);
  const words = wordsOf(form.action);
  const fields = useFirstFault(faults);
  const submit = (event: Event): void => {
    event.preventDefault();
    void tryOut();
  };
  return (
    <Modal title={WORDS.operations.act} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <p>
          {WORDS.operations.which} <code>{q}</code>
        </p>
        <Fields form={form} change={change} at={faults.at} />
        <section class="preview" aria-live="polite" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          {tried === null ? <p>{WORDS.operations.tryFirst}</p> : <Tried operation={tried} />}
        </section>
        <p role="alert" class="error-text">
          {faults.about}
        </p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            {WORDS.cancel}
          </button>
          <button type="submit" class={tried === null ? 'main' : ''} aria-disabled={isBusy}>
            {WORDS.operations.dryRun}
          </button>
          <button
            type="button"
            class={tried === null ? '' : 'main'}
            disabled={tried === null}
            aria-disabled={isBusy || tried === null}
            onClick={() => void start()}>
            {words}
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface FieldsProps {
  readonly form: OperationForm;
  readonly change: (part: Partial<OperationForm>) => void;
  readonly at: FormFaults['at'];
}

/** The action, its step and its reason. */
export function Fields({ at, change, form }: FieldsProps): JSX.Element {
  const id = useId();
  return (
    <>
      <div class="field">
        <label for={`${id}-action`}>{WORDS.operations.action}</label>
        <select
          id={`${id}-action`}
          value={form.action}
          onChange={({ currentTarget }) =>
            change({ action: currentTarget.value as OperationForm['action'] })
          }>
          {ACTIONS.map(([action, words]) => (
            <option key={action} value={action}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {takesStep(form.action) && (
        <TextField
          name={WORDS.dialog.step}
          value={form.step}
          onType={(step) => change({ step })}
          fault={at.get(STEP) ?? at.get('/to')}
        />
      )}
      <ReasonField
        value={form.reason}
        onType={(reason) => change({ reason })}
        fault={at.get(REASON)}
        isRequired
      />
    </>
  );
}

/** The result of a dry run. */
function Tried({ operation }: { readonly operation: Operation }): JSX.Element {
  return (
    <>
      <p>{outcomeWords(operation)}</p>
      <ul>
        {Object.entries(operation.counts).map(([code, count]) => (
          <li key={code}>{`${count} × ${code}`}</li>
        ))}
      </ul>
    </>
  );
}

interface Using {
  readonly tried: Operation | null;
  readonly faults: FormFaults;
  readonly isBusy: boolean;
  readonly change: (part: Partial<OperationForm>) => void;
  readonly tryOut: () => Promise<void>;
  readonly start: () => Promise<void>;
}

/** A change of the form takes back what was tried: what is done is what was looked at. */
function useOperation(q: string, form: OperationForm, set: (form: OperationForm) => void): Using {
  const { route } = useLocation();
  const key = useRef(newKey());
  const [rehearsal, setRehearsal] = useState<Rehearsal | null>(null);
  const { faults, isSending: isBusy, send } = useSending(PLACES);
  const change = (part: Partial<OperationForm>): void => {
    set({ ...form, ...part });
    key.current = newKey();
  };
  const body = bodyOf(form, q);
  const tryOut = (): Promise<void> =>
    send(mistakesIn(form), async () => setRehearsal({ form, operation: await rehearsed(body) }));
  const start = (): Promise<void> =>
    send(mistakesIn(form), async () => {
      await api.startOperation(body, key.current);
      sayOutcome(WORDS.outcome.begun(wordsOf(form.action)));
      route('/console/operations');
    });
  return { tried: triedOf(rehearsal, form), faults, isBusy, change, tryOut, start };
}

async function rehearsed(body: ReturnType<typeof bodyOf>): Promise<Operation> {
  let operation = await api.startOperation({ ...body, dryRun: true }, newKey());
  while (operation.endedAt === null) {
    await pause(LOOK_MS, new AbortController().signal);
    operation = await api.operation(operation.operationId);
  }
  return operation;
}

/** The mistakes that need no answer of the server. */
export function mistakesIn({ action, reason, step }: OperationForm): readonly Fault[] {
  const { dialog, operations } = WORDS;
  const hasStep = !needsStep(action) || step.trim() !== '';
  return [
    ...(hasStep ? [] : [{ pointer: STEP, message: operations.stepMissing }]),
    ...(reason.trim() === '' ? [{ pointer: REASON, message: dialog.reasonMissing }] : []),
  ];
}
