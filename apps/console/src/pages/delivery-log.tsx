import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Delivery } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { usePolled } from '../ui/polled.js';
import { failureText } from '../ui/dialog-parts.js';
import { sayOutcome } from '../ui/outcome.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';

const { notifications: TEXT } = WORDS;

const EVERY_MS = 2_000;

interface LogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The messages of a notification, newest first, below the list. */
export function DeliveryLog({ name, onClose }: LogProps): JSX.Element {
  const polled = usePolled(name, (signal) => api.deliveries(name, signal), EVERY_MS);
  const { isAway, refusal, value } = polled;
  const title = `${TEXT.log} ${name}`;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {value?.items.length === 0 && <p class="empty">{WORDS.none}</p>}
      {value !== null && value.items.length > 0 && (
        <table class="rows lists" aria-label={title}>
          <Head columns={TEXT.logColumns} />
          <tbody>
            {value.items.map((delivery) => (
              <Row key={delivery.deliveryId} {...{ delivery, name }} />
            ))}
          </tbody>
        </table>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {WORDS.close}
        </button>
      </div>
    </section>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  readonly name: string;
}

function Row({ delivery, name }: RowProps): JSX.Element {
  const { attempts, createdAt, deliveryId, flow, lastError, message, on } = delivery;
  const { phase, state, subject } = delivery;
  const { may } = useRights();
  const [error, setError] = useState<string | null>(null);
  const again = async (): Promise<void> => {
    try {
      await api.redeliver(name, deliveryId);
      setError(null);
      sayOutcome(WORDS.outcome.done(TEXT.again, subject));
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return (
    <tr>
      <td class="cell-time">
        <Moment at={secondsOf(createdAt)} />
      </td>
      <td>{`${wordOf(on)}${phase === 'resolved' ? ` (${TEXT.over})` : ''}`}</td>
      <td>
        {flow === null ? (
          <bdi>{subject}</bdi>
        ) : (
          <a href={`/console/tasks/${encodeURIComponent(subject)}`}>{subject}</a>
        )}
      </td>
      <td>{state}</td>
      <td>{attempts}</td>
      <td>
        <LongText text={lastError ?? message} isTold />
      </td>
      <td>
        {may('author') && (
          <button type="button" onClick={() => void again()}>
            {TEXT.again}
          </button>
        )}
        {error !== null && (
          <p role="alert" class="error-text">
            {error}
          </p>
        )}
      </td>
    </tr>
  );
}

/** The words for a kind; a kind of a newer build has its name. */
export function wordOf(kind: string): string {
  return kind in TEXT.kinds ? TEXT.kinds[kind as keyof typeof TEXT.kinds] : kind;
}
