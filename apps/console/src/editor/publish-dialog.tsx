import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
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
  const { error, isSending, publish } = usePublishing(props);
  const submit = (event: Event): void => {
    event.preventDefault();
    void publish(given.trim(), reason.trim());
  };
  return (
    <Modal title={`${EDITOR.publish} ${name}`.trim()} onClose={onClose}>
      <form onSubmit={submit} noValidate>
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
              onInput={({ currentTarget }) => giveName(currentTarget.value)}
            />
          </div>
        )}
        <ReasonField value={reason} onType={setReason} isRequired />
        <DialogEnd words={EDITOR.publish} {...{ error, isSending, onClose }} />
      </form>
    </Modal>
  );
}

interface Publishing {
  readonly error: string | null;
  readonly isSending: boolean;
  readonly publish: (name: string, reason: string) => Promise<void>;
}

function usePublishing({ onPublished, text, version }: PublishDialogProps): Publishing {
  const [error, say] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const publish: Publishing['publish'] = async (name, reason) => {
    if (isSending) return;
    if (name === '') return say(EDITOR.nameMissing);
    if (reason === '') return say(EDITOR.reasonMissing);
    setSending(true);
    try {
      await api.putFlow({ name, text, version, reason });
      onPublished(name);
    } catch (failure) {
      say(sentencesOf(failure));
      setSending(false);
    }
  };
  return { error, isSending, publish };
}

function sentencesOf(failure: unknown): string {
  const isConflict = failure instanceof Refused && failure.problem.code === 'REVISION_CHANGED';
  return isConflict ? `${failure.message} ${EDITOR.conflict}` : failureText(failure);
}
