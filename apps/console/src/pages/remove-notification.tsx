import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, Refused } from '../api/client.js';
import { Modal } from '../ui/modal.js';
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
    } catch (failure) {
      setError(failure instanceof Refused ? failure.message : WORDS.away);
    }
  };
  return (
    <Modal title={`${TEXT.remove} ${name}`} onClose={onClose}>
      <form onSubmit={(event) => void remove(event)} noValidate>
        <p>{TEXT.removeAsk}</p>
        <p role="alert" class="error-text">
          {error}
        </p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            {WORDS.cancel}
          </button>
          <button type="submit" class="main">
            {TEXT.remove}
          </button>
        </div>
      </form>
    </Modal>
  );
}
