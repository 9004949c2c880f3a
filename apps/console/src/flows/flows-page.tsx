import type { JSX } from 'preact';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { FileProblem, Flow } from '../api/shapes.js';
import { drafts } from '../editor/drafts.js';
import { Head } from '../ui/table-head.js';
import { Icon } from '../ui/icons.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { DrillMark } from './drill-mark.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';

const EVERY_MS = 5_000;

/** Most steps of a flow that the list names. */
const NAMES_MAX = 20;

/** Every flow at its newest version. */
export function FlowsPage(): JSX.Element {
  const { may } = useRights();
  const { isAway, refusal, value } = usePolled('flows', (signal) => api.flows(signal), EVERY_MS);
  return (
    <>
      <PageHead title={WORDS.pages.flows}>
        {may('author') && (
          <a class="button" href="/console/new-flow">
            {WORDS.flows.newFlow}
          </a>
        )}
      </PageHead>
      <DraftList />
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      <BrokenFiles problems={value?.files?.problems ?? []} />
      {value === null && !refusal && <LoadingRows label={WORDS.pages.flows} />}
      {value !== null &&
        (value.items.length === 0 ? (
          <p class="empty">{WORDS.flows.none}</p>
        ) : (
          <FlowTables flows={value.items} />
        ))}
    </>
  );
}

/** Flows that take no new tasks for good are folded away. */
function FlowTables({ flows }: { readonly flows: readonly Flow[] }): JSX.Element {
  const live = flows.filter((flow) => !isGone(flow));
  const gone = flows.filter(isGone);
  return (
    <>
      {live.length > 0 && <FlowTable flows={live} />}
      {gone.length > 0 && (
        <details class="gone-flows">
          <summary>{WORDS.flows.goneFlows(gone.length)}</summary>
          <FlowTable flows={gone} />
        </details>
      )}
    </>
  );
}

/** It was retired, or its file is gone; what executors could run again is not gone. */
function isGone({ file = null, obstacle = null, startable }: Flow): boolean {
  return startable === false && file === null && obstacle === null;
}

function BrokenFiles({
  problems,
}: {
  readonly problems: readonly FileProblem[];
}): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <section class="notice notice-bad" aria-label={WORDS.flows.broken}>
      <Icon name="alert" />
      <div>
        <p>{WORDS.flows.broken}</p>
        <ul>
          {problems.map(({ column, file, hint, line, message }) => (
            <li key={`${file}:${line}:${column}:${message}`}>
              {file === null ? WORDS.flows.folder : `${file}:${line}:${column}`} {message} {hint}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function FlowTable({ flows }: { readonly flows: readonly Flow[] }): JSX.Element {
  return (
    <table class="rows flows" aria-label={WORDS.pages.flows}>
      <Head columns={WORDS.flows.columns} />
      <tbody>
        {flows.map((flow) => (
          <FlowRow key={flow.name} flow={flow} />
        ))}
      </tbody>
    </table>
  );
}

function FlowRow({ flow }: { readonly flow: Flow }): JSX.Element {
  const { description, name, obstacle, startable, steps, version } = flow;
  const { columns, gone } = WORDS.flows;
  const reason = startable === false ? (obstacle?.message ?? gone) : description;
  return (
    <tr>
      <td class="cell-name">
        <a class="row-link" href={`/console/flows/${encodeURIComponent(name)}`}>
          {name}
        </a>
      </td>
      <td data-name={columns[1]}>{version}</td>
      <td data-name={columns[2]}>
        <DrillMark flow={flow} />
      </td>
      <td class="cell-message">
        <LongText text={namesOf(steps)} />
      </td>
      <td class="cell-message">
        <LongText text={reason ?? null} />
      </td>
    </tr>
  );
}

function namesOf(steps: Flow['steps']): string {
  const names = steps.slice(0, NAMES_MAX).map((step) => step.name);
  const more = steps.length - names.length;
  return [...names, ...(more > 0 ? [WORDS.flows.more(more)] : [])].join(', ');
}

/** Texts that were typed in this browser and not published. */
function DraftList(): JSX.Element | null {
  const all = drafts();
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="drafts-title">
      <h2 id="drafts-title">{WORDS.flows.drafts}</h2>
      <ul class="versions">
        {all.map(({ at, name }) => (
          <li key={name}>
            <a href={editorAddress(name)}>{name === '' ? WORDS.flows.draftUnnamed : name}</a>{' '}
            <span class="faint">
              <Moment at={Math.floor(at / 1_000)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function editorAddress(name: string): string {
  return name === '' ? '/console/new-flow' : `/console/flows/${encodeURIComponent(name)}/edit`;
}
