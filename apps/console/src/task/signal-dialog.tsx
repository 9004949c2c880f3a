import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Task } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { useOffer } from '../palette/offers.js';
import { DialogEnd, failureText } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';
import { objectFault } from './action-form.js';
import { signalBody, type SignalForm, wantedSignals } from './signal-form.js';
import { isFinal } from './steps.js';

const { signal: TEXT } = WORDS;

interface SignalProps {
  readonly task: Task;
  readonly onDone: (task: Task) => void;
}

interface SignalButtonProps extends SignalProps {
  /** Whether it is what a person does about the task as it stands. */
  readonly isFirst: boolean;
}

/** Tells a task that has not ended what a step of it waits for, or will. */
export function SignalButton({ isFirst, onDone, task }: SignalButtonProps): JSX.Element | null {
  const [isOpen, open] = useState(false);
  const isOffered = useRights().may('operator') && !isFinal(task.status);
  const command = { id: 'action signal', kind: 'action', words: TEXT.send } as const;
  useOffer(isOffered ? [{ ...command, run: () => open(true) }] : []);
  return (
    <>
      {isOffered && (
        <button type="button" class={isFirst ? 'main' : 'back'} onClick={() => open(true)}>
          {TEXT.send}
        </button>
      )}
      {isOpen && <SignalDialog {...{ task, onDone }} onClose={() => open(false)} />}
    </>
  );
}

interface DialogProps extends SignalProps {
  readonly onClose: () => void;
}

function SignalDialog({ onClose, onDone, task }: DialogProps): JSX.Element {
  const id = useId();
  const [wanted] = useState(() => wantedSignals(task.steps));
  const [form, set] = useState<SignalForm>({ name: wanted[0] ?? '', payload: '' });
  const { error, isSending, send } = useSending({ task, onDone, onClose }, form);
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Modal title={TEXT.send} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <NameField name={form.name} wanted={wanted} onName={(name) => set({ ...form, name })} />
        <div class="field">
          <label for={`${id}-payload`}>{TEXT.payload}</label>
          <textarea
            id={`${id}-payload`}
            rows={4}
            spellcheck={false}
            value={form.payload}
            onInput={({ currentTarget }) => set({ ...form, payload: currentTarget.value })}
          />
        </div>
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{wanted.includes(form.name.trim()) ? TEXT.taken : TEXT.kept}</p>
        </section>
        <DialogEnd words={TEXT.send} {...{ error, isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface NameProps {
  readonly name: string;
  /** Names that steps of the task wait for. */
  readonly wanted: readonly string[];
  readonly onName: (name: string) => void;
}

function NameField({ name, onName, wanted }: NameProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={`${id}-name`}>{TEXT.name}</label>
      <input
        id={`${id}-name`}
        list={`${id}-wanted`}
        value={name}
        required
        autofocus
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <datalist id={`${id}-wanted`}>
        {wanted.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </datalist>
    </div>
  );
}

interface Sending {
  readonly error: string | null;
  readonly isSending: boolean;
  readonly send: () => Promise<void>;
}

/** The key is the dialog's: pressed twice, or again after an error, it is delivered once. */
function useSending({ onClose, onDone, task }: DialogProps, form: SignalForm): Sending {
  const key = useRef(newKey());
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    const body = signalBody(form);
    const broken = body === null ? objectFault(form.payload) : null;
    const fault = form.name.trim() === '' ? TEXT.nameMissing : broken;
    setError(fault);
    if (fault !== null || body === null || isSending) return;
    setSending(true);
    try {
      // Whatever the task is by now: an early signal is kept for the step that will want it.
      const deed = { taskId: task.taskId, verb: 'signal', body, revision: null };
      const answer = await api.act({ ...deed, key: key.current });
      onClose();
      if ('steps' in answer) onDone(answer);
    } catch (failure) {
      setError(failureText(failure));
      setSending(false);
    }
  };
  return { error, isSending, send };
}
