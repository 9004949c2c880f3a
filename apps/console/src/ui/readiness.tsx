import type { JSX } from 'preact';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { type At, send } from '../api/exchange.js';
import { WORDS } from '../words.js';
import { secondsOf } from './durations.js';
import { Moment } from './moment.js';
import { type Polled, usePolled } from './polled.js';

/** Whether the gateway can do its work, and what is missing if not. */
export type Readiness = HttpApi['Readiness'];

/** A check of the gateway that fails. */
type Obstacle = Readiness['checks'][number];

/** Asks what the gateway can reach. That something is missing is an answer as well. */
async function askReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await send('GET /readyz' satisfies At, { signal });
  return (await response.json()) as Readiness;
}

/** The same, asked again and again. */
export function useReadiness(everyMs: number): Polled<Readiness> {
  return usePolled('readyz', askReadiness, everyMs);
}

/** The checks that fail, as far as it is known. */
export function obstaclesIn(readiness: Readiness | null): readonly Obstacle[] {
  return (readiness?.checks ?? []).filter(({ ready }) => !ready);
}

/** One of them in words, and since when. */
export function ObstacleWords({ obstacle }: { readonly obstacle: Obstacle }): JSX.Element {
  const { name, since } = obstacle;
  const { checks, other, since: sinceWord } = WORDS.readiness;
  const sentence = (checks as Readonly<Record<string, string>>)[name] ?? other(name);
  return (
    <>
      {sentence}
      {since !== undefined && (
        <>
          {`, ${sinceWord} `}
          <Moment at={secondsOf(since)} isWhole />
        </>
      )}
    </>
  );
}
