import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { DialogEnd, ReasonField } from '../ui/dialog-parts.js';
import { described, FieldFault, useFirstFault } from '../ui/field-fault.js';
import { Modal } from '../ui/modal.js';
import { type Sending, useSending } from '../ui/sending.js';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';

interface PublishDialogProps {
  /** Empty: it has none yet, or cannot have this one. */
  readonly name: string;
  readonly text: string;
  /** The version that the author knows; null: there is none. */
  readonly version: number | null;
  readonly onClose: () => void;
  readonly onPublished: (name: string) => void;
}

/** Asks why, and makes the text the newest version. */
export function PublishDialog(props: PublishDialogProps): JSX.Element {
  const { name, onClose } = props;
  const id = useId();
  const [given, giveName] = useState(name);
  const [reason, setReason] = useState('');
  const { faults, isSending, publish } = usePublishing(props);
  const fields = useFirstFault(faults);
  const fault = faults.at.get(PLACES.name);
  const submit = (event: Event): void => {
    event.preventDefault();
    void publish(given.trim(), reason.trim());
  };
  return (
    <Modal title={`${EDITOR.publish} ${name}`.trim()} onClose={onClose}>
      <form ref={fields} onSubmit={submit} noValidate>
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <p>{EDITOR.publishMeans}</p>
        </section>
        {name === '' && (
          <div class="field">
            <label for={id}>{EDITOR.name}</label>
            <input
              id={id}
              value={given}
              autocomplete="off"
              spellcheck={false}
              maxLength={100}
              {...described({ id, fault }, null)}
              onInput={({ currentTarget }) => giveName(currentTarget.value)}
            />
            <FieldFault {...{ id, fault }} />
          </div>
        )}
        <ReasonField
          value={reason}
          onType={setReason}
          fault={faults.at.get(PLACES.reason)}
          isRequired
        />
        <DialogEnd words={EDITOR.publish} error={faults.about} {...{ isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface Publishing extends Omit<Sending, 'send'> {
  readonly publish: (name: string, reason: string) => Promise<void>;
}

/** Not places in the text: faults in that are told about the whole. */
const PLACES = { name: '#name', reason: '#reason' };

function usePublishing({ onPublished, text, version }: PublishDialogProps): Publishing {
  const { send, ...sending } = useSending(Object.values(PLACES), {
    REVISION_CHANGED: (sentence) => `${sentence} ${EDITOR.conflict}`,
  });
  const publish: Publishing['publish'] = (name, reason) => {
    const mistakes = [
      ...(name === '' ? [{ pointer: PLACES.name, message: EDITOR.nameMissing }] : []),
      ...(reason === '' ? [{ pointer: PLACES.reason, message: EDITOR.reasonMissing }] : []),
    ];
    return send(mistakes, async () => {
      await api.putFlow({ name, text, version, reason });
      onPublished(name);
    });
  };
  return { ...sending, publish };
}
