import type { JSX } from 'preact';
import type { AuditEntry } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { Moment } from '../ui/moment.js';
import { WORDS } from '../words.js';
import { Head, ListedPage } from './listed-page.js';

/** From this status on a request was refused. */
const REFUSED_FROM = 400;

const OF_TASK = /^\/v1\/tasks\/([^/:]+)/;

/** The audit log: actions, and requests that were refused. */
export function AuditPage(): JSX.Element {
  const { about, none } = WORDS.audit;
  return <ListedPage<AuditEntry> name="audit" about={about} none={none} show={auditTable} />;
}

function auditTable(entries: readonly AuditEntry[]): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.audit}>
      <Head columns={WORDS.audit.columns} />
      <tbody>
        {entries.map(({ actor, at, operation, reason, seq, status, target }) => (
          <tr key={seq}>
            <td class="cell-time">
              <Moment at={secondsOf(at)} />
            </td>
            <td>{actor}</td>
            <td class="cell-name">{operation}</td>
            <td>
              <Target target={target} />
            </td>
            <td>
              {status < REFUSED_FROM ? WORDS.audit.done : `${WORDS.audit.refused} (${status})`}
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A task is where its page is; everything else is an address. */
function Target({ target }: { readonly target: string }): JSX.Element {
  const [, taskId] = OF_TASK.exec(target) ?? [];
  if (taskId === undefined) return <code>{target}</code>;
  return <a href={`/console/tasks/${taskId}`}>{taskId}</a>;
}
