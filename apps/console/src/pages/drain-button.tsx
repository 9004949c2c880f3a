import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Executor } from '../api/shapes.js';
import { useRights } from '../access/session.js';
import { failureText } from '../ui/dialog-parts.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';

const { executors: TEXT } = WORDS;

/** Has a worker drain, or get actions again; shows nothing of an executor at the broker. */
export function DrainButton({
  executor: { instance, worker },
}: {
  readonly executor: Pick<Executor, 'instance' | 'worker'>;
}): JSX.Element | null {
  const { may } = useRights();
  const [error, setError] = useState<string | null>(null);
  if (worker === null) return null;
  const { draining } = worker;
  const set = async (): Promise<void> => {
    try {
      await api.setWorker(instance, draining ? 'active' : 'draining');
      setError(null);
      sayOutcome(draining ? TEXT.active(instance) : TEXT.drained(instance));
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  const words = draining ? TEXT.again : TEXT.drain;
  return (
    <div>
      {draining && <div class="faint">{TEXT.draining}</div>}
      {may('operator') && (
        <button type="button" aria-label={`${words} ${instance}`} onClick={() => void set()}>
          {words}
        </button>
      )}
      {error !== null && (
        <p role="alert" class="error-text">
          {error}
        </p>
      )}
    </div>
  );
}
