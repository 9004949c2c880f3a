import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import type { Task } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';
import {
  type ActionForm,
  bodyOf,
  childrenAt,
  objectFault,
  openForm,
  stepChoices,
} from './action-form.js';
import type { TaskAction } from './actions.js';
import { PreviewBox } from './preview-box.js';

interface ActionDialogProps {
  readonly action: TaskAction;
  /** As it is now, which may be later than when the dialog opened. */
  readonly task: Task;
  readonly picked: string | null;
  readonly onClose: () => void;
  readonly onDone: (task: Task) => void;
}

/** Asks why, shows what will happen, and does it. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { action, onClose, picked, task } = props;
  const [form, set] = useState<ActionForm>(() => openForm(action, task, picked));
  const { error, isSending, send } = useSending(props, form);
  // Once it is sent, the task changes: there is nothing left to be said before it is done.
  const previewed = useRef(task);
  if (!isSending) previewed.current = task;
  const change = (part: Partial<ActionForm>): void => set({ ...form, ...part });
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Modal title={action.words} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {action.stepMember && <StepField {...{ action, task, form, change }} />}
        {form.children !== null && <ChildrenField {...{ form, change }} />}
        <PreviewBox action={action} task={previewed.current} form={form} />
        <ReasonField value={form.reason} onType={(reason) => change({ reason })} isRequired />
        {action.extra && <ExtraField {...{ action, form, change }} />}
        <DialogEnd
          words={action.words}
          isGrave={action.isGrave === true}
          {...{ error, isSending, onClose }}
        />
      </form>
    </Modal>
  );
}

interface Sending {
  readonly error: string | null;
  readonly isSending: boolean;
  readonly send: () => Promise<void>;
}

/** The key is the dialog's: pressed twice, or again after an error, it acts once. */
function useSending(props: ActionDialogProps, form: ActionForm): Sending {
  const { action, onClose, onDone, task } = props;
  const { route } = useLocation();
  const key = useRef(newKey());
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    const body = bodyOf(action, form);
    const fault = faultOf(form, body === null);
    setError(fault);
    if (fault !== null || body === null || isSending) return;
    setSending(true);
    const { revision, taskId } = task;
    const { verb } = action;
    // A restart is about a task that has ended; its interface takes no revision.
    const deed = { taskId, verb, body, revision: verb === 'restart' ? null : revision };
    try {
      const answer = await api.act({ ...deed, key: key.current });
      onClose();
      if ('operationId' in answer) route('/console/inbox');
      else if (answer.taskId === taskId) onDone(answer);
      else route(`/console/tasks/${answer.taskId}`);
    } catch (failure) {
      setError(sentenceOf(failure));
      setSending(false);
    }
  };
  return { error, isSending, send };
}

function faultOf({ extra, reason }: ActionForm, isBroken: boolean): string | null {
  if (reason.trim() === '') return WORDS.dialog.reasonMissing;
  return isBroken ? objectFault(extra) : null;
}

function sentenceOf(failure: unknown): string {
  const isMoved = failure instanceof Refused && failure.problem.code === 'REVISION_CHANGED';
  return isMoved ? WORDS.dialog.moved : failureText(failure);
}

interface FieldProps {
  readonly form: ActionForm;
  readonly change: (part: Partial<ActionForm>) => void;
}

interface AboutProps extends FieldProps {
  readonly action: TaskAction;
}

function StepField({
  action,
  change,
  form,
  task,
}: AboutProps & { readonly task: Task }): JSX.Element {
  const id = useId();
  const choose = (step: string): void => {
    change({ step, children: childrenAt(action, task, step) });
  };
  return (
    <div class="field">
      <label for={id}>{WORDS.dialog.step}</label>
      <select
        id={id}
        value={form.step}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {action.stepMember?.isOptional(task) === true && (
          <option value="">{WORDS.dialog.toStart}</option>
        )}
        {stepChoices(action, task).map(({ address }) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </select>
    </div>
  );
}

function ChildrenField({ change, form }: FieldProps): JSX.Element {
  const id = useId();
  const { all, failed, label } = WORDS.dialog.children;
  const choose = (value: string): void => change({ children: value === 'all' ? 'all' : 'failed' });
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={form.children ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="failed">{failed}</option>
        <option value="all">{all}</option>
      </select>
    </div>
  );
}

function ExtraField({ action, change, form }: AboutProps): JSX.Element {
  const id = useId();
  const label = action.extra === 'output' ? WORDS.dialog.output : WORDS.dialog.parameters;
  return (
    <details class="extra" open={action.verb === 'retry'}>
      <summary>{label}</summary>
      <textarea
        id={id}
        aria-label={label}
        rows={4}
        spellcheck={false}
        value={form.extra}
        onInput={({ currentTarget }) => change({ extra: currentTarget.value })}
      />
    </details>
  );
}
