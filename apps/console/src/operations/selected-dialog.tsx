import type { JSX } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import type { Summary } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { DialogEnd, failureText } from '../ui/dialog-parts.js';
import { useFirstFault } from '../ui/field-fault.js';
import { NO_FAULTS, placeFaults } from '../ui/form-faults.js';
import { LongText } from '../ui/long-text.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';
import { Fields, mistakesIn, PLACES } from './operation-dialog.js';
import { deedOf, type OperationForm, wordsOf } from './operation-form.js';

interface SelectedDialogProps {
  readonly tasks: readonly Summary[];
  readonly onClose: () => void;
  /** Every task has its answer; of these it was a refusal. */
  readonly onDone: (refused: readonly Summary[]) => void;
}

/** The answer about a task. */
interface Answered {
  readonly words: string;
  readonly isRefused: boolean;
}

/** Asks what to do to a few tasks, and why; then does it to one after the other. */
export function SelectedDialog({ onClose, onDone, tasks }: SelectedDialogProps): JSX.Element {
  const aboutId = useId();
  const [shown] = useState(tasks);
  const [form, set] = useState<OperationForm>({ action: 'retry', reason: '', step: '' });
  const [faults, say] = useState(NO_FAULTS);
  const fields = useFirstFault(faults);
  const { answers, isSending, send } = useSelected(form, onDone);
  const { ended, tasks: title } = WORDS.selection;
  const submit = (event: Event): void => {
    event.preventDefault();
    const found = mistakesIn(form);
    say(placeFaults(found, PLACES));
    if (tasks.length === 0) onClose();
    else if (found.length === 0) void send(tasks);
  };
  const refused = [...answers.values()].filter(({ isRefused }) => isRefused).length;
  const hasEnded = !isSending && answers.size > 0;
  return (
    <Modal title={WORDS.selection.act} aboutId={aboutId} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <section id={aboutId} class="brief" aria-label={title}>
          <ul class="selected">
            {shown.map((task) => (
              <li key={task.taskId}>
                <bdi class="flow-name">{task.flow}</bdi> <code>{`…${task.taskId.slice(-12)}`}</code>
                {': '}
                <LongText text={answers.get(task.taskId)?.words ?? null} />
              </li>
            ))}
          </ul>
        </section>
        <Fields form={form} change={(part) => set({ ...form, ...part })} at={faults.at} />
        <p role="status">{hasEnded && ended(answers.size - refused, refused)}</p>
        <DialogEnd
          words={wordsOf(form.action)}
          error={faults.about}
          dismiss={hasEnded ? WORDS.close : WORDS.cancel}
          {...{ isSending, onClose }}
        />
      </form>
    </Modal>
  );
}

interface Sending {
  readonly answers: ReadonlyMap<string, Answered>;
  readonly isSending: boolean;
  readonly send: (tasks: readonly Summary[]) => Promise<void>;
}

/** Each task has a key of the dialog's: pressed again with the same form, it acts once. */
function useSelected(form: OperationForm, onDone: SelectedDialogProps['onDone']): Sending {
  const keys = useRef({ form, key: newKey() });
  const [answers, set] = useState<ReadonlyMap<string, Answered>>(new Map());
  const [isSending, setSending] = useState(false);
  const send = async (tasks: readonly Summary[]): Promise<void> => {
    if (isSending) return;
    setSending(true);
    if (keys.current.form !== form) keys.current = { form, key: newKey() };
    const found = new Map<string, Answered>();
    for (const { taskId } of tasks) {
      const deed = { taskId, ...deedOf(form), key: `${keys.current.key}-${taskId}` };
      found.set(taskId, await answerOf(api.act(deed)));
      set(new Map(found));
    }
    const refused = tasks.filter(({ taskId }) => found.get(taskId)?.isRefused);
    const { ended } = WORDS.selection;
    sayOutcome(`${wordsOf(form.action)}: ${ended(tasks.length - refused.length, refused.length)}`);
    setSending(false);
    onDone(refused);
  };
  return { answers, isSending, send };
}

async function answerOf(acting: ReturnType<typeof api.act>): Promise<Answered> {
  const { asked, done } = WORDS.selection;
  try {
    const answer = await acting;
    return { words: 'operationId' in answer ? asked : done, isRefused: false };
  } catch (failure) {
    const code = failure instanceof Refused ? ` (${failure.problem.code})` : '';
    return { words: `${failureText(failure)}${code}`, isRefused: true };
  }
}
