import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Schedule } from '../api/shapes.js';
import { newKey } from '../browser/clock.js';
import { DialogEnd, ReasonField } from '../ui/dialog-parts.js';
import { Fact } from '../ui/fact.js';
import { useFirstFault } from '../ui/field-fault.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { type Sending, useSending } from '../ui/sending.js';
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
  const { change, faults, isSending } = useChanging(props, reason);
  const fields = useFirstFault(faults);
  const words = WORDS.schedules.verbs[verb];
  const submit = (event: Event): void => {
    event.preventDefault();
    change();
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

/** The key is the dialog's: pressed twice, it starts one task. */
function useChanging(
  { onChanged, onClose, schedule, verb }: ScheduleDialogProps,
  reason: string,
): Omit<Sending, 'send'> & { readonly change: () => void } {
  const { route } = useLocation();
  const key = useRef(newKey());
  const { send, ...sending } = useSending([REASON]);
  const missing = { pointer: REASON, message: WORDS.schedules.reasonMissing };
  const deliver = async (): Promise<void> => {
    const deed = { name: schedule.name, reason: reason.trim() };
    const made = verb === 'trigger' ? await api.trigger({ ...deed, key: key.current }) : null;
    if (verb !== 'trigger') onChanged(await api.changeSchedule({ ...deed, verb }));
    onClose();
    sayOutcome(WORDS.outcome.done(WORDS.schedules.verbs[verb], schedule.name));
    if (made !== null) route(`/console/tasks/${made.taskId}`);
  };
  const change = (): void => void send(reason.trim() === '' ? [missing] : [], deliver);
  return { ...sending, change };
}
