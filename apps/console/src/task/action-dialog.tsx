import type { JSX, RefObject } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Task } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { TaskBrief } from '../tasks/task-brief.js';
import { DialogEnd, ReasonField } from '../ui/dialog-parts.js';
import { described, FieldFault, useFirstFault } from '../ui/field-fault.js';
import type { Fault } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { type Sending, useSending } from '../ui/sending.js';
import { stateWord, WORDS } from '../words.js';
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
  // The page may hear of a change later than the preview does, which is read before it is done.
  const asked = useRef(0);
  const { act, faults, isSending } = useActing(props, form, asked);
  const fields = useFirstFault(faults);
  const aboutId = useId();
  const { extra } = action;
  // Once it is sent, the task changes: there is nothing left to be said before it is done.
  const previewed = useRef(task);
  if (!isSending) previewed.current = task;
  const change = (part: Partial<ActionForm>): void => set({ ...form, ...part });
  const submit = (event: Event): void => {
    event.preventDefault();
    act();
  };
  return (
    <Modal title={action.words} aboutId={aboutId} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <TaskBrief id={aboutId} task={task} step={form.step} />
        {action.stepMember && <StepField {...{ action, task, form, change }} />}
        {form.children !== null && <ChildrenField {...{ form, change }} />}
        <PreviewBox task={previewed.current} {...{ action, form, asked }} />
        <ReasonField
          value={form.reason}
          onType={(reason) => change({ reason })}
          fault={faults.at.get(reasonPlace(action))}
          isRequired
        />
        {extra && <ExtraField {...{ action, form, change }} fault={faults.at.get(`/${extra}`)} />}
        <DialogEnd
          words={action.words}
          isGrave={action.isGrave === true}
          error={faults.about}
          {...{ isSending, onClose }}
        />
      </form>
    </Modal>
  );
}

/** The key is the dialog's: pressed twice, or again after an error, it acts once. */
function useActing(
  { action, onClose, onDone, task }: ActionDialogProps,
  form: ActionForm,
  asked: RefObject<number>,
): Omit<Sending, 'send'> & { readonly act: () => void } {
  const { route } = useLocation();
  const key = useRef(newKey());
  const { extra, verb } = action;
  const places = [reasonPlace(action), ...(extra === undefined ? [] : [`/${extra}`])];
  const { send, ...sending } = useSending(places, { REVISION_CHANGED: () => WORDS.dialog.moved });
  const body = bodyOf(action, form);
  const deliver = async (): Promise<void> => {
    if (body === null) return;
    const { taskId } = task;
    const seen = Math.max(task.revision, asked.current);
    // A restart is about a task that has ended; its interface takes no revision.
    const deed = { taskId, verb, body, revision: verb === 'restart' ? null : seen };
    const answer = await api.act({ ...deed, key: key.current });
    onClose();
    sayOutcome(outcomeOf(action, answer));
    if ('operationId' in answer) route('/console/inbox');
    else if (answer.taskId === taskId) onDone(answer);
    else route(`/console/tasks/${answer.taskId}`);
  };
  const act = (): void => void send(mistakesIn(form, action, body === null), deliver);
  return { ...sending, act };
}

function outcomeOf({ words }: TaskAction, answer: Awaited<ReturnType<typeof api.act>>): string {
  if ('operationId' in answer) return WORDS.outcome.consent(words);
  const { flow, status, taskId } = answer;
  return WORDS.outcome.done(words, `${flow} …${taskId.slice(-6)}, ${stateWord(status)}`);
}

function mistakesIn(
  { extra, reason }: ActionForm,
  action: TaskAction,
  isBroken: boolean,
): readonly Fault[] {
  const { reasonMissing } = WORDS.dialog;
  const { extra: member } = action;
  return [
    ...(reason.trim() === '' ? [{ pointer: reasonPlace(action), message: reasonMissing }] : []),
    ...(isBroken ? [{ pointer: `/${member}`, message: objectFault(extra) }] : []),
  ];
}

function reasonPlace({ reasonMember }: TaskAction): string {
  return `/${reasonMember ?? 'reason'}`;
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
        onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {action.stepMember?.isOptional?.(task) === true && (
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
        onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="failed">{failed}</option>
        <option value="all">{all}</option>
      </select>
    </div>
  );
}

interface ExtraProps extends AboutProps {
  readonly fault: string | undefined;
}

function ExtraField({ action, change, fault, form }: ExtraProps): JSX.Element {
  const id = useId();
  const label = action.extra === 'output' ? WORDS.dialog.output : WORDS.dialog.parameters;
  return (
    <details class="extra" open={action.verb === 'retry' || fault !== undefined}>
      <summary>{label}</summary>
      <textarea
        id={id}
        aria-label={label}
        rows={4}
        spellcheck={false}
        value={form.extra}
        {...described({ id, fault }, null)}
        onInput={({ currentTarget }) => change({ extra: currentTarget.value })}
      />
      <FieldFault id={id} fault={fault} />
    </details>
  );
}
