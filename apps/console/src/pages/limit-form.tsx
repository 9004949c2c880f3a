import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { api } from '../api/client.js';
import type { ModuleLimit } from '../api/shapes.js';
import { DialogEnd } from '../ui/dialog-parts.js';
import { useFirstFault } from '../ui/field-fault.js';
import { TextField } from '../ui/fields.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { useSending } from '../ui/sending.js';
import { WORDS } from '../words.js';

const { limits: TEXT } = WORDS;

const LIMITS = ['maxConcurrency', 'ratePerSecond', 'fairBy'] as const;
const MEMBERS = ['module', ...LIMITS] as const;
const PLACES = MEMBERS.map((member) => `/${member}`);

/** The fields of the form as typed so far. */
type Written = Readonly<Record<(typeof MEMBERS)[number], string>>;

interface FormProps {
  /** Null: the module has none yet. */
  readonly limit: ModuleLimit | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Writes the limits of a module: those that the reader saw are replaced, and no others. */
export function LimitForm({ limit, onClose, onSaved }: FormProps): JSX.Element {
  // The page reads them again and again: those count that the reader saw when the form opened.
  const [before] = useState(limit);
  const [written, write] = useState<Written>(() => writtenOf(limit));
  const { faults, isSending, send } = useSending(PLACES);
  const form = useFirstFault(faults);
  const submit = (event: Event): void => {
    event.preventDefault();
    const module = written.module.trim();
    const missing = { pointer: '/module', message: TEXT.moduleMissing };
    void send(module === '' ? [missing] : [], async () => {
      await api.putLimit(module, bodyOf(written), before);
      onClose();
      onSaved();
      sayOutcome(WORDS.outcome.added(module));
    });
  };
  return (
    <Modal title={limit === null ? TEXT.set : `${TEXT.change} ${limit.module}`} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        {(limit === null ? MEMBERS : LIMITS).map((member) => (
          <TextField
            key={member}
            name={TEXT.members[member]}
            value={written[member]}
            onType={(text) => write({ ...written, [member]: text })}
            fault={faults.at.get(`/${member}`)}
          />
        ))}
        <DialogEnd words={TEXT.save} error={faults.about} {...{ isSending, onClose }} />
      </form>
    </Modal>
  );
}

function writtenOf(limit: ModuleLimit | null): Written {
  const texts = MEMBERS.map((member) => [member, `${limit?.[member] ?? ''}`]);
  return Object.fromEntries(texts) as Written;
}

/** The body of the request; the gateway says what is wrong with a text that is no number. */
function bodyOf(written: Written): HttpApi['PutLimits'] {
  const given = LIMITS.map((member) => [member, written[member].trim()] as const);
  const filled = given.filter(([, text]) => text !== '');
  return Object.fromEntries(
    filled.map(([member, text]) => {
      const number = Number(text);
      return [member, member === 'fairBy' || Number.isNaN(number) ? text : number];
    }),
  );
}
