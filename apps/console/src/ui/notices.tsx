import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import type { Refused } from '../api/exchange.js';
import { WORDS } from '../words.js';
import { Icon } from './icons.js';
import { obstaclesIn, ObstacleWords, useReadiness } from './readiness.js';

/** Says what does not answer, and nothing else; what was there stays on the page. */
export function AwayNotice({ isAway }: { readonly isAway: boolean }): JSX.Element {
  return (
    <div role="status" aria-live="polite" class="away-slot">
      {isAway && <Missing />}
    </div>
  );
}

const LOOK_EVERY_MS = 2_000;

/** The part that is away: the gateway, or something that it needs. */
function Missing(): JSX.Element | null {
  const { isAway, value } = useReadiness(LOOK_EVERY_MS);
  if (value === null && !isAway) return null;
  const obstacles = isAway || value === null ? [] : obstaclesIn(value);
  const { busy, goesOn } = WORDS.readiness;
  return (
    <div class="notice notice-away">
      <Icon name="alert" />
      <div>
        {isAway && <p>{WORDS.away}</p>}
        {obstacles.map((obstacle) => (
          <p key={obstacle.name}>
            <ObstacleWords obstacle={obstacle} />.
          </p>
        ))}
        {!isAway && <p>{obstacles.length === 0 ? busy : goesOn}</p>}
      </div>
    </div>
  );
}

/** The server takes no longer address of a page to come back to. */
const FROM_MAX = 1_000;

/** The page to sign in at, from which one comes back to this one. */
function loginFrom({ pathname, search }: Location): string {
  const from = `${pathname}${search}`;
  return `/console/login${from.length > FROM_MAX ? '' : `?from=${encodeURIComponent(from)}`}`;
}

/** Says why a request was refused; somebody who is not signed in is taken to where one does so. */
export function RefusalNotice({ refusal }: { readonly refusal: Refused }): JSX.Element | null {
  const { code } = refusal.problem;
  const { route } = useLocation();
  const isUnknown = code === 'UNAUTHENTICATED';
  useEffect(() => {
    if (isUnknown) route(loginFrom(location), true);
  }, [isUnknown]);
  if (isUnknown) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <div>
        <p>{refusal.message}</p>
        <p class="faint">{code}</p>
      </div>
    </div>
  );
}
