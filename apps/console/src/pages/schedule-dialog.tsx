import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Schedule } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';

/** An action on a schedule that this dialog offers. */
export type ScheduleVerb = keyof typeof WORDS.schedules.verbs;

interface ScheduleDialogProps {
  readonly schedule: Schedule;
  readonly verb: ScheduleVerb;
  readonly onClose: () => void;
  readonly onChanged: (schedule: Schedule) => void;
}

/** Asks why, says what will happen, and does it. */
export function ScheduleDialog(props: ScheduleDialogProps): JSX.Element {
  const { onClose, schedule, verb } = props;
  const [reason, setReason] = useState('');
  const { error, isSending, send } = useSending(props, reason);
  const words = WORDS.schedules.verbs[verb];
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Modal title={`${words} ${schedule.name}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <section class="preview">
          <h3>{WORDS.dialog.preview}</h3>
          <p>{WORDS.schedules.previews[verb]}</p>
        </section>
        <ReasonField value={reason} onType={setReason} isRequired />
        <DialogEnd {...{ words, error, isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface Sending {
  readonly error: string | null;
  readonly isSending: boolean;
  readonly send: () => Promise<void>;
}

/** The key is the dialog's: pressed twice, it starts one task. */
function useSending(props: ScheduleDialogProps, reason: string): Sending {
  const { onChanged, onClose, schedule, verb } = props;
  const { route } = useLocation();
  const key = useRef(newKey());
  const [error, setError] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    const fault = reason.trim() === '' ? WORDS.schedules.reasonMissing : null;
    setError(fault);
    if (fault !== null || isSending) return;
    setSending(true);
    const deed = { name: schedule.name, reason: reason.trim() };
    try {
      if (verb === 'trigger') {
        const { taskId } = await api.trigger({ ...deed, key: key.current });
        onClose();
        route(`/console/tasks/${taskId}`);
        return;
      }
      onChanged(await api.changeSchedule({ ...deed, verb }));
      onClose();
    } catch (failure) {
      setError(failureText(failure));
      setSending(false);
    }
  };
  return { error, isSending, send };
}
