import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { ListedOperation } from '../api/shapes.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';
import { OperationBrief, subjectOf } from './operation-brief.js';

/** The decision that the dialog asks a second person to confirm. */
export interface Answer {
  readonly operation: ListedOperation;
  readonly verb: 'approve' | 'reject';
}

interface DecideDialogProps {
  readonly answer: Answer;
  readonly onClose: () => void;
}

/** Asks why, says what it means, and answers. */
export function DecideDialog({ answer, onClose }: DecideDialogProps): JSX.Element {
  const { operation, verb } = answer;
  const aboutId = useId();
  const [comment, setComment] = useState('');
  const { error, send } = useDeciding(answer, onClose);
  const { approveMeans, comment: label, rejectMeans } = WORDS.inbox;
  const submit = (event: Event): void => {
    event.preventDefault();
    void send(comment.trim());
  };
  return (
    <Modal title={WORDS.inbox[verb]} aboutId={aboutId} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <OperationBrief id={aboutId} operation={operation} />
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{verb === 'approve' ? approveMeans : rejectMeans}</p>
        </section>
        <ReasonField label={label} value={comment} onType={setComment} />
        <DialogEnd
          words={WORDS.inbox[verb]}
          dismiss={WORDS.close}
          isGrave={verb === 'reject'}
          {...{ error, onClose }}
        />
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
      if (refused + failed === 0) {
        onClose();
        sayOutcome(WORDS.outcome.done(WORDS.inbox[verb], subjectOf(operation)));
      } else setError(`${WORDS.inbox.refused} ${Object.keys(counts).join(', ')}`);
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return { error, send };
}
