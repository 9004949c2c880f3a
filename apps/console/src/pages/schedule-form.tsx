import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { api } from '../api/client.js';
import { objectOrFault } from '../task/action-form.js';
import { DialogEnd } from '../ui/dialog-parts.js';
import { useFirstFault } from '../ui/field-fault.js';
import type { Fault } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { useSending } from '../ui/sending.js';
import { SelectField, TextField } from '../ui/fields.js';
import { WORDS } from '../words.js';

const { schedules: TEXT } = WORDS;

type Timing = keyof typeof TEXT.timings;

const MEMBERS = ['name', 'flow', 'timezone', 'parameters'] as const;

/** The fields of the form as typed so far. */
type Written = Readonly<Record<(typeof MEMBERS)[number] | 'time', string>> & {
  readonly timing: Timing;
};

interface FormProps {
  readonly onClose: () => void;
}

/** Writes a new schedule. It replaces none that is there under the name. */
export function ScheduleForm({ onClose }: FormProps): JSX.Element {
  const [written, write] = useState<Written>(freshForm);
  const places = [...MEMBERS, written.timing].map((member) => `/${member}`);
  const { faults, isSending, send } = useSending(places);
  const form = useFirstFault(faults);
  const change = (more: Partial<Written>): void => write({ ...written, ...more });
  const submit = (event: Event): void => {
    event.preventDefault();
    const { body, faults: found } = orderOf(written);
    void send(found, async () => {
      await api.addSchedule(written.name.trim(), body);
      onClose();
      sayOutcome(WORDS.outcome.added(written.name.trim()));
    });
  };
  const field = (member: (typeof MEMBERS)[number]): JSX.Element => (
    <TextField
      name={TEXT.members[member]}
      value={written[member]}
      onType={(text) => change({ [member]: text })}
      fault={faults.at.get(`/${member}`)}
      isLong={member === 'parameters'}
    />
  );
  return (
    <Modal title={TEXT.add} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        {field('name')}
        {field('flow')}
        <Times {...{ written, change }} fault={faults.at.get(`/${written.timing}`)} />
        {field('timezone')}
        {field('parameters')}
        <DialogEnd words={TEXT.save} error={faults.about} {...{ isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface TimesProps {
  readonly written: Written;
  readonly change: (more: Partial<Written>) => void;
  readonly fault: string | undefined;
}

/** Whether its moments follow from a cron expression or an interval, or there is one alone. */
function Times({ change, fault, written: { time, timing } }: TimesProps): JSX.Element {
  return (
    <>
      <SelectField
        name={TEXT.when}
        value={timing}
        choices={TEXT.timings}
        onPick={(picked) => change({ timing: picked })}
      />
      <TextField
        name={TEXT.timings[timing]}
        value={time}
        sample={TEXT.samples[timing]}
        onType={(text) => change({ time: text })}
        fault={fault}
      />
    </>
  );
}

/** Times are meant as they are where the reader is. */
function freshForm(): Written {
  const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { name: '', flow: '', timing: 'cron', time: '', timezone, parameters: '' };
}

interface Order {
  readonly body: HttpApi['PutSchedule'];
  readonly faults: readonly Fault[];
}

/** The body of the request, and what is wrong before it is sent. */
function orderOf({ flow, name, parameters, time, timezone, timing }: Written): Order {
  const given = objectOrFault(parameters, WORDS.dialog.notJson);
  const isBroken = typeof given === 'string';
  const faults = [
    ...(name.trim() === '' ? [{ pointer: '/name', message: TEXT.nameMissing }] : []),
    ...(isBroken ? [{ pointer: '/parameters', message: given }] : []),
  ];
  const zone = timezone.trim() === '' ? {} : { timezone: timezone.trim() };
  const values = isBroken ? {} : given;
  return {
    body: { flow: flow.trim(), [timing]: time.trim(), ...zone, parameters: values },
    faults,
  };
}
