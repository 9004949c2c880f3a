import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import type { Lock, LockPlace } from '../api/shapes.js';
import { Moment } from '../ui/moment.js';
import { secondsOf } from '../ui/durations.js';
import { StateMark } from '../ui/state-mark.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';
import { ListedPage } from './listed-page.js';

/** The locks, each with its holders and its waiting tasks. The address may name one alone. */
export function LocksPage(): JSX.Element {
  const { query } = useLocation();
  const { about, all, none } = WORDS.locks;
  const wanted = query['lock'] ?? null;
  const show = (locks: readonly Lock[]): JSX.Element => {
    const own = wanted === null ? locks : locks.filter(({ name }) => name === wanted);
    return own.length === 0 ? <p class="empty">{none}</p> : lockTable(own);
  };
  return (
    <ListedPage name="locks" about={about} none={none} show={show}>
      {wanted !== null && (
        <p>
          <code>{wanted}</code> <a href="/console/locks">{all}</a>
        </p>
      )}
    </ListedPage>
  );
}

function lockTable(locks: readonly Lock[]): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.locks}>
      <Head columns={WORDS.locks.columns} />
      <tbody>
        {locks.map(({ holders, name, slots, waiting }) => (
          <tr key={name}>
            <td class="cell-name">
              <bdi>{name}</bdi>
            </td>
            <td>{`${holders.length} ${WORDS.locks.of} ${slots}`}</td>
            <td data-title={WORDS.locks.columns[2]}>
              <Places label={`${WORDS.locks.holders} ${name}`} places={holders} />
            </td>
            <td data-title={WORDS.locks.columns[3]}>
              <Places label={`${WORDS.locks.waiting} ${name}`} places={waiting} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PlacesProps {
  readonly label: string;
  readonly places: readonly LockPlace[];
}

/** Tasks in the order of the line. */
function Places({ label, places }: PlacesProps): JSX.Element | null {
  if (places.length === 0) return null;
  return (
    <ol class="places" aria-label={label}>
      {places.map(({ flow, since, status, step, taskId }) => (
        <li key={`${taskId} ${step}`}>
          {flow !== null && <bdi class="flow-name">{flow}</bdi>}{' '}
          {status !== null && <StateMark state={status} />}{' '}
          <a href={`/console/tasks/${encodeURIComponent(taskId)}`}>{taskId}</a>
          {step !== null && (
            <>
              {` ${WORDS.locks.step} `}
              <bdi>{step}</bdi>
            </>
          )}{' '}
          <Moment at={secondsOf(since)} />
        </li>
      ))}
    </ol>
  );
}
