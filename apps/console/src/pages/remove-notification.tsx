import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { DialogEnd, failureText } from '../ui/dialog-parts.js';
import { Modal } from '../ui/modal.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';

const { notifications: TEXT } = WORDS;

interface RemoveProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Says what will happen, and removes a notification. */
export function RemoveNotification({ name, onClose }: RemoveProps): JSX.Element {
  const [error, setError] = useState<string | null>(null);
  const remove = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.removeNotification(name);
      onClose();
      sayOutcome(WORDS.outcome.removed(name));
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return (
    <Modal title={`${TEXT.remove} ${name}`} onClose={onClose}>
      <form onSubmit={(event) => void remove(event)} noValidate>
        <p>{TEXT.removeAsk}</p>
        <DialogEnd words={TEXT.remove} {...{ error, onClose }} />
      </form>
    </Modal>
  );
}
