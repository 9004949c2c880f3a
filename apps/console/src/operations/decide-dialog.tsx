import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api, Refused } from '../api/client.js';
import type { Operation } from '../api/shapes.js';
import { Modal } from '../ui/modal.js';
import { WORDS } from '../words.js';

/** The decision that the dialog asks a second person to confirm. */
export interface Answer {
  readonly operation: Operation;
  readonly verb: 'approve' | 'reject';
}

interface DecideDialogProps {
  readonly answer: Answer;
  readonly onClose: () => void;
}

/** Asks why, says what it means, and answers. */
export function DecideDialog({ answer, onClose }: DecideDialogProps): JSX.Element {
  const { verb } = answer;
  const id = useId();
  const [comment, setComment] = useState('');
  const { error, send } = useDeciding(answer, onClose);
  const { approveMeans, comment: label, rejectMeans } = WORDS.inbox;
  const submit = (event: Event): void => {
    event.preventDefault();
    void send(comment.trim());
  };
  return (
    <Modal title={WORDS.inbox[verb]} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{verb === 'approve' ? approveMeans : rejectMeans}</p>
        </section>
        <div class="field">
          <label for={id}>{label}</label>
          <input
            id={id}
            value={comment}
            autofocus
            autocomplete="off"
            maxLength={1_000}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
        </div>
        <p role="alert" class="error-text">
          {error}
        </p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            {WORDS.close}
          </button>
          <button type="submit" class={verb === 'reject' ? 'grave' : 'main'}>
            {WORDS.inbox[verb]}
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface Deciding {
  readonly error: string | null;
  readonly send: (comment: string) => Promise<void>;
}

function useDeciding({ operation, verb }: Answer, onClose: () => void): Deciding {
  const [error, setError] = useState<string | null>(null);
  const send = async (comment: string): Promise<void> => {
    try {
      const { counts, failed, refused } = await api.decide(operation.operationId, {
        verb,
        comment,
      });
      if (refused + failed === 0) onClose();
      else setError(`${WORDS.inbox.refused} ${Object.keys(counts).join(', ')}`);
    } catch (failure) {
      setError(failure instanceof Refused ? failure.message : WORDS.away);
    }
  };
  return { error, send };
}
