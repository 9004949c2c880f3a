import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { api } from '../api/client.js';
import type { ChannelMembers, Notification } from '../api/shapes.js';
import { DialogEnd } from '../ui/dialog-parts.js';
import { FieldFault, useFirstFault } from '../ui/field-fault.js';
import type { FormFaults } from '../ui/form-faults.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { useSending } from '../ui/sending.js';
import { SelectField, TextField } from '../ui/fields.js';
import { WORDS } from '../words.js';

const { notifications: TEXT } = WORDS;

type Type = keyof typeof TEXT.types;
type Member = keyof typeof TEXT.members;

const MEMBERS: Readonly<Record<Type, readonly Member[]>> = {
  webhook: ['url', 'secret'],
  slack: ['url'],
  pagerduty: ['routingKey'],
  email: ['server', 'from', 'to'],
};

const TYPES = Object.keys(MEMBERS) as readonly Type[];
const KINDS = Object.keys(TEXT.kinds);

interface FormProps {
  /** Null: it is a new one. */
  readonly notification: Notification | null;
  readonly onClose: () => void;
}

/** The fields of the form as typed so far. */
interface Written {
  readonly name: string;
  readonly on: readonly string[];
  readonly q: string;
  readonly throttle: string;
  readonly type: Type;
  readonly members: Readonly<Partial<Record<Member, string>>>;
}

/** Writes a notification: a new one, or in the place of the one that the reader saw. */
export function NotificationForm({ notification, onClose }: FormProps): JSX.Element {
  const [written, write] = useState<Written>(() => writtenOf(notification));
  // The page reads them again and again: the one counts that was there when the form opened.
  const [before] = useState(notification);
  const { faults, isSending, send } = useSending(placesOf(written.type));
  const form = useFirstFault(faults);
  const at = (member: string): string | undefined => faults.at.get(`/${member}`);
  const change = (more: Partial<Written>): void => write({ ...written, ...more });
  const submit = (event: Event): void => {
    event.preventDefault();
    const name = written.name.trim();
    const missing = { pointer: '/name', message: TEXT.nameMissing };
    void send(name === '' ? [missing] : [], async () => {
      await api.putNotification(name, bodyOf(written, before), before);
      onClose();
      sayOutcome(WORDS.outcome.added(name));
    });
  };
  return (
    <Modal title={notification?.name ?? TEXT.add} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        {notification === null && (
          <TextField
            name={TEXT.name}
            value={written.name}
            onType={(name) => change({ name })}
            fault={at('name')}
          />
        )}
        <Kinds on={written.on} onChange={(on) => change({ on })} fault={at('on')} />
        <TextField name={TEXT.q} value={written.q} onType={(q) => change({ q })} fault={at('q')} />
        <TextField
          name={TEXT.throttle}
          value={written.throttle}
          onType={(throttle) => change({ throttle })}
          fault={at('throttle')}
        />
        <Channel {...{ written, change, faults }} />
        <DialogEnd words={TEXT.save} error={faults.about} {...{ isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface KindsProps {
  readonly on: readonly string[];
  readonly onChange: (on: readonly string[]) => void;
  readonly fault: string | undefined;
}

function Kinds({ fault, on, onChange }: KindsProps): JSX.Element {
  const id = useId();
  return (
    <fieldset class="field">
      <legend>{TEXT.on}</legend>
      {KINDS.map((kind) => (
        <label key={kind} class="choice">
          <input
            type="checkbox"
            checked={on.includes(kind)}
            onChange={({ currentTarget: { checked } }) => {
              const others = on.filter((each) => each !== kind);
              onChange(checked ? [...others, kind] : others);
            }}
          />
          {` ${TEXT.kinds[kind as keyof typeof TEXT.kinds]}`}
        </label>
      ))}
      <FieldFault id={id} fault={fault} />
    </fieldset>
  );
}

interface ChannelProps {
  readonly written: Written;
  readonly change: (more: Partial<Written>) => void;
  readonly faults: FormFaults;
}

function Channel({ change, faults, written: { members, type } }: ChannelProps): JSX.Element {
  return (
    <>
      <SelectField
        name={TEXT.channel}
        value={type}
        choices={TEXT.types}
        onPick={(picked) => change({ type: picked, members: {} })}
      />
      {MEMBERS[type].map((member) => (
        <TextField
          key={member}
          name={TEXT.members[member]}
          value={members[member] ?? ''}
          onType={(value) => change({ members: { ...members, [member]: value } })}
          fault={faults.at.get(`/channel/${member}`)}
        />
      ))}
    </>
  );
}

/** The places of the fields in the body. */
function placesOf(type: Type): readonly string[] {
  const members = MEMBERS[type].map((member) => `/channel/${member}`);
  return ['/name', '/on', '/q', '/throttle', ...members];
}

function writtenOf(notification: Notification | null): Written {
  if (notification === null) {
    return { name: '', on: ['failed'], q: '', throttle: '0', type: 'webhook', members: {} };
  }
  const { channel, name, on, q, throttle } = notification;
  const type = TYPES.find((each) => each === channel.type) ?? 'webhook';
  const given: ChannelMembers = channel;
  const texts = MEMBERS[type].map((member) => [member, textOf(given[member])]);
  const members = Object.fromEntries(texts) as Written['members'];
  return { name, on, q: q ?? '', throttle: `${throttle}`, type, members };
}

function textOf(value: string | readonly string[] | undefined): string {
  return value === undefined || typeof value === 'string' ? (value ?? '') : value.join(', ');
}

/** The body of the request. A PagerDuty channel keeps its URL, which the form does not show. */
function bodyOf(
  { members, on, q, throttle, type }: Written,
  notification: Notification | null,
): HttpApi['PutNotification'] {
  const given = Object.entries(members).filter(([, text]) => text.trim() !== '');
  const kept =
    notification?.channel.type === type ? (notification.channel as ChannelMembers).url : undefined;
  const channel = {
    type,
    ...(type === 'pagerduty' && typeof kept === 'string' && { url: kept }),
    ...Object.fromEntries(given.map(([name, text]) => [name, text.trim()])),
    ...(type === 'email' && { to: (members.to ?? '').split(',').map((one) => one.trim()) }),
  };
  const search = q.trim() === '' ? {} : { q: q.trim() };
  return { on, ...search, throttle: Number(throttle), channel } as HttpApi['PutNotification'];
}
