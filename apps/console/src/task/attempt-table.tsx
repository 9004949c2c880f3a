import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Head } from '../ui/table-head.js';
import { absoluteWords, clockWords, dayWords, secondsOf } from '../ui/durations.js';
import { LinkedText } from '../ui/linked-text.js';
import { Moment } from '../ui/moment.js';
import { eventWord, WORDS } from '../words.js';
import type { Attempt } from './attempts.js';

interface AttemptTableProps {
  /** `Attempts` with the direction. */
  readonly name: string;
  readonly attempts: readonly Attempt[];
}

/** Of a step that is tried again and again, these are shown at first: what is below stays near. */
const NEWEST = 10;

/** When each attempt of a half of a step began and ended, where, and how. */
export function AttemptTable({ attempts, name }: AttemptTableProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const first = isWhole ? 0 : Math.max(0, attempts.length - NEWEST);
  return (
    <>
      {first > 0 && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {WORDS.attempts.earlier(first)}
        </button>
      )}
      <table class="plain attempts" aria-label={name}>
        <Head columns={WORDS.attempts.columns} />
        <tbody>
          {attempts.slice(first).map((attempt, index) => (
            <Row key={first + index} attempt={attempt} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  const { end, executor, message, number, outcome, stack, start } = attempt;
  return (
    <>
      <tr>
        <th scope="row">{number}</th>
        <td>{outcome === null ? WORDS.attempts.open : eventWord(outcome)}</td>
        <td>{start === null ? WORDS.attempts.lost : <At moment={start} after={null} />}</td>
        <td>{end !== null && <At moment={end} after={start} />}</td>
        <td>{executor}</td>
      </tr>
      {(message !== null || stack !== null) && (
        <tr>
          <td class="attempt-message" colSpan={5}>
            {message !== null && <LinkedText text={message} />}
            {stack !== null && (
              <details>
                <summary>{WORDS.attempts.stack}</summary>
                <pre class="json">{stack}</pre>
              </details>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

interface AtProps {
  /** ISO 8601. */
  readonly moment: string;
  /** The moment that is told just before; the date is not told again. */
  readonly after: string | null;
}

function At({ after, moment }: AtProps): JSX.Element {
  const at = secondsOf(moment);
  const isSameDay = after !== null && dayWords(at) === dayWords(secondsOf(after));
  return (
    <Moment at={at} words={isSameDay ? clockWords : absoluteWords} isRelative={false} isWhole />
  );
}
