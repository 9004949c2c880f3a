import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { WORDS } from '../words.js';
import { DialogEnd, failureText } from './dialog-parts.js';
import { Modal } from './modal.js';
import { sayOutcome } from './outcome.js';

interface RemoveDialogProps {
  /** On the button. */
  readonly words: string;
  /** Of the thing that goes. */
  readonly name: string;
  /** Says what follows from it. */
  readonly ask: string;
  readonly remove: () => Promise<void>;
  readonly onClose: () => void;
}

/** Says what will happen, and removes something. */
export function RemoveDialog({
  ask,
  name,
  onClose,
  remove,
  words,
}: RemoveDialogProps): JSX.Element {
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await remove();
      onClose();
      sayOutcome(WORDS.outcome.removed(name));
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return (
    <Modal title={`${words} ${name}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <p>{ask}</p>
        <DialogEnd {...{ error, onClose, words }} />
      </form>
    </Modal>
  );
}
