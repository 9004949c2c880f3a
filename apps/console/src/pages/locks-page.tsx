import type { JSX } from 'preact';
import type { Lock, LockPlace } from '../api/shapes.js';
import { Moment } from '../ui/moment.js';
import { secondsOf } from '../ui/durations.js';
import { WORDS } from '../words.js';
import { Head, ListedPage } from './listed-page.js';

/** The locks, each with its holders and its waiting tasks. */
export function LocksPage(): JSX.Element {
  const { about, none } = WORDS.locks;
  return <ListedPage<Lock> name="locks" about={about} none={none} show={lockTable} />;
}

function lockTable(locks: readonly Lock[]): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.locks}>
      <Head columns={WORDS.locks.columns} />
      <tbody>
        {locks.map(({ holders, name, slots, waiting }) => (
          <tr key={name}>
            <td class="cell-name">{name}</td>
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
      {places.map(({ since, taskId }) => (
        <li key={taskId}>
          <a href={`/console/tasks/${encodeURIComponent(taskId)}`}>{taskId}</a>{' '}
          <Moment at={secondsOf(since)} />
        </li>
      ))}
    </ol>
  );
}
