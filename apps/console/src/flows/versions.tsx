import type { JSX } from 'preact';
import { WORDS } from '../words.js';

/** Older ones are still there, by their address. */
const VERSIONS_SHOWN = 20;

interface VersionsProps {
  readonly name: string;
  readonly shown: number;
  readonly newest: number;
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
              {...(version === shown && { 'aria-current': 'true' as const })}
            >
              {`${WORDS.task.version} ${version}`}
            </a>
            {version !== shown && (
              <a
                class="faint"
                href={`${page}?version=${shown}&compare=${version}`}
                aria-label={`${WORDS.flows.compareWith} ${version}`}
              >
                {WORDS.flows.compare}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
