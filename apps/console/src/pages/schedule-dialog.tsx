import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Schedule } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { DialogEnd, ReasonField } from '../ui/dialog-parts.js';
import { Fact } from '../ui/fact.js';
import { useFirstFault } from '../ui/field-fault.js';
import { faultsOf, type FormFaults, NO_FAULTS, placeFaults } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';
import { whenText } from './schedule-when.js';

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
  const aboutId = useId();
  const { faults, isSending, send } = useSending(props, reason);
  const fields = useFirstFault(faults);
  const words = WORDS.schedules.verbs[verb];
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  return (
    <Modal title={`${words} ${schedule.name}`} aboutId={aboutId} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <section id={aboutId} class="brief" aria-label={WORDS.brief.title}>
          <dl class="facts">
            <Fact name={WORDS.schedules.columns[1]}>
              <bdi>{schedule.flow}</bdi>
            </Fact>
            <Fact name={WORDS.schedules.columns[2]}>
              <code>{whenText(schedule)}</code> {schedule.timezone}
            </Fact>
          </dl>
        </section>
        <section class="preview">
          <h3>{WORDS.dialog.preview}</h3>
          <p>{WORDS.schedules.previews[verb]}</p>
        </section>
        <ReasonField value={reason} onType={setReason} fault={faults.at.get(REASON)} isRequired />
        <DialogEnd {...{ words, isSending, onClose }} error={faults.about} />
      </form>
    </Modal>
  );
}

const REASON = '/reason';

interface Sending {
  readonly faults: FormFaults;
  readonly isSending: boolean;
  readonly send: () => Promise<void>;
}

/** The key is the dialog's: pressed twice, it starts one task. */
function useSending(props: ScheduleDialogProps, reason: string): Sending {
  const { onChanged, onClose, schedule, verb } = props;
  const { route } = useLocation();
  const key = useRef(newKey());
  const [faults, say] = useState(NO_FAULTS);
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    const isMissing = reason.trim() === '';
    const missing = { pointer: REASON, message: WORDS.schedules.reasonMissing };
    say(placeFaults(isMissing ? [missing] : [], [REASON]));
    if (isMissing || isSending) return;
    setSending(true);
    const deed = { name: schedule.name, reason: reason.trim() };
    try {
      if (verb === 'trigger') {
        const { taskId } = await api.trigger({ ...deed, key: key.current });
        onClose();
        sayOutcome(WORDS.outcome.done(WORDS.schedules.verbs[verb], schedule.name));
        route(`/console/tasks/${taskId}`);
        return;
      }
      onChanged(await api.changeSchedule({ ...deed, verb }));
      onClose();
      sayOutcome(WORDS.outcome.done(WORDS.schedules.verbs[verb], schedule.name));
    } catch (failure) {
      say(faultsOf(failure, [REASON]));
      setSending(false);
    }
  };
  return { faults, isSending, send };
}
