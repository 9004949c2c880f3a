import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Task } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { useOffer } from '../palette/commands.js';
import { TaskBrief } from '../tasks/task-brief.js';
import { DialogEnd } from '../ui/dialog-parts.js';
import { described, FieldFault, useFirstFault } from '../ui/field-fault.js';
import type { Fault } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { useSending } from '../ui/sending.js';
import { TextField } from '../ui/fields.js';
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

const PLACES = ['/name', '/payload'];

function SignalDialog({ onClose, onDone, task }: DialogProps): JSX.Element {
  const aboutId = useId();
  const [wanted] = useState(() => wantedSignals(task.steps));
  const [form, set] = useState<SignalForm>({ name: wanted[0] ?? '', payload: '' });
  // The key is the dialog's: pressed twice, or again after an error, it is delivered once.
  const key = useRef(newKey());
  const { faults, isSending, send } = useSending(PLACES);
  const fields = useFirstFault(faults);
  const body = signalBody(form);
  const deliver = async (): Promise<void> => {
    if (body === null) return;
    const { flow, taskId } = task;
    // Whatever the task is by now: an early signal is kept for the step that will want it.
    const deed = { taskId, verb: 'signal' as const, body, revision: null };
    const answer = await api.act({ ...deed, key: key.current });
    onClose();
    sayOutcome(WORDS.outcome.done(TEXT.send, `${flow} …${taskId.slice(-6)}`));
    if ('steps' in answer) onDone(answer);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void send(mistakesIn(form, body === null), deliver);
  };
  return (
    <Modal title={TEXT.send} aboutId={aboutId} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <TaskBrief id={aboutId} task={task} step="" />
        <NameField
          name={form.name}
          wanted={wanted}
          fault={faults.at.get('/name')}
          onName={(name) => set({ ...form, name })}
        />
        <TextField
          name={TEXT.payload}
          value={form.payload}
          onType={(payload) => set({ ...form, payload })}
          fault={faults.at.get('/payload')}
          isLong
        />
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{wanted.includes(form.name.trim()) ? TEXT.taken : TEXT.kept}</p>
        </section>
        <DialogEnd words={TEXT.send} error={faults.about} {...{ isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface NameProps {
  readonly name: string;
  /** Names that steps of the task wait for. */
  readonly wanted: readonly string[];
  readonly fault: string | undefined;
  readonly onName: (name: string) => void;
}

function NameField({ fault, name, onName, wanted }: NameProps): JSX.Element {
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
        {...described({ id, fault }, null)}
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <datalist id={`${id}-wanted`}>
        {wanted.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </datalist>
      <FieldFault id={id} fault={fault} />
    </div>
  );
}

function mistakesIn({ name, payload }: SignalForm, isBroken: boolean): readonly Fault[] {
  return [
    ...(name.trim() === '' ? [{ pointer: '/name', message: TEXT.nameMissing }] : []),
    ...(isBroken ? [{ pointer: '/payload', message: objectFault(payload) }] : []),
  ];
}
