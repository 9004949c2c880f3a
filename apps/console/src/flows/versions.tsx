import type { JSX } from 'preact';
import { api } from '../api/client.js';
import type { FlowDiff, Json, MemberChange } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { RefusalNotice } from '../ui/notices.js';
import { usePolled } from '../ui/polled.js';
import { Scrolled } from '../ui/scrolled.js';
import { WORDS } from '../words.js';

/** Versions never change: it is asked for again only where nothing answered. */
const EVERY_MS = 3_600_000;

interface VersionDiffProps {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Older ones are still there, by their address. */
const VERSIONS_SHOWN = 20;

interface VersionsProps {
  readonly name: string;
  readonly shown: number;
  readonly newest: number;
}

/** How one version of a flow differs from another. */
export function VersionDiff(props: VersionDiffProps): JSX.Element {
  const { from, name, to } = props;
  const key = `${name} ${from} ${to}`;
  const { refusal, value } = usePolled(key, (signal) => api.diff(props, signal), EVERY_MS);
  const title = `${WORDS.flows.compared} ${to} ${WORDS.flows.since} ${from}`;
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      {refusal && <RefusalNotice refusal={refusal} />}
      {value !== null && <Differences diff={value} />}
    </section>
  );
}

function Differences({ diff }: { readonly diff: FlowDiff }): JSX.Element {
  const { changes, itself, same } = WORDS.flows;
  const { added, changed, members, removed } = diff;
  if (added.length + changed.length + members.length + removed.length === 0) return <p>{same}</p>;
  const whole = [
    [changes.added, added],
    [changes.removed, removed],
  ] as const;
  return (
    <>
      {whole.map(([words, steps]) =>
        steps.map(({ step }) => (
          <h3 key={`${words} ${step}`} class="change">
            {`${words}: ${step}`}
          </h3>
        )),
      )}
      {changed.map(({ members: own, step }) => (
        <Members key={step} title={`${changes.changed}: ${step}`} members={own} />
      ))}
      {members.length > 0 && <Members title={`${changes.changed}: ${itself}`} members={members} />}
    </>
  );
}

interface MembersProps {
  readonly title: string;
  readonly members: readonly MemberChange[];
}

function Members({ members, title }: MembersProps): JSX.Element {
  return (
    <>
      <h3 class="change">{title}</h3>
      <Scrolled name={title}>
        <table class="members" aria-label={title}>
          <Head columns={WORDS.flows.members} />
          <tbody>
            {members.map(({ from, pointer, to }) => (
              <tr key={pointer}>
                <th scope="row">{pointer}</th>
                <td>{written(from)}</td>
                <td>{written(to)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

function written(value: Json | undefined): JSX.Element {
  if (value === undefined) return <span class="faint">{WORDS.flows.absent}</span>;
  return <code>{JSON.stringify(value)}</code>;
}

/** The versions of a flow, each to be looked at or compared with the one that is shown. */
export function Versions({ name, newest, shown }: VersionsProps): JSX.Element {
  const count = Math.min(newest, VERSIONS_SHOWN);
  const versions = Array.from({ length: count }, (_, index) => newest - index);
  const page = `/console/flows/${encodeURIComponent(name)}`;
  return (
    <section class="panel" aria-labelledby="versions-title">
      <h2 id="versions-title">{WORDS.flows.versions}</h2>
      <ul class="versions">
        {versions.map((version) => (
          <li key={version}>
            <a
              href={`${page}?version=${version}`}
              {...(version === shown && { 'aria-current': 'true' as const })}>
              {`${WORDS.task.version} ${version}`}
            </a>
            {version !== shown && (
              <a
                class="faint"
                href={`${page}?version=${shown}&compare=${version}`}
                aria-label={`${WORDS.flows.compareWith} ${version}`}>
                {WORDS.flows.compare}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
