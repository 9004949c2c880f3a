import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import type { Refused } from '../api/exchange.js';
import { WORDS } from '../words.js';
import { Icon } from './icons.js';
import type { Polled } from './polled.js';
import { obstaclesIn, ObstacleWords, type Readiness, useReadiness } from './readiness.js';
import { LinkedText } from './linked-text.js';

/** Says that the gateway does not answer; what was there stays on the page. */
export function AwayNotice({ isAway }: { readonly isAway: boolean }): JSX.Element {
  return (
    <div role="status" aria-live="polite" class="away-slot">
      {isAway && <Away />}
    </div>
  );
}

const LOOK_EVERY_MS = 1_000;

/** Nothing where {@link ObstacleNotice} says what is missing. */
function Away(): JSX.Element | null {
  const { isAway, value } = useReadiness(LOOK_EVERY_MS);
  if (!isAway && (value === null || obstaclesIn(value).length > 0)) return null;
  return (
    <p class="notice notice-away">
      <Icon name="alert" />
      {isAway ? WORDS.away : WORDS.readiness.busy}
    </p>
  );
}

/** Names what the gateway cannot reach, on every page. */
export function ObstacleNotice({ readiness }: { readonly readiness: Polled<Readiness> }) {
  const { isAway, value } = readiness;
  const obstacles = isAway || value === null ? [] : obstaclesIn(value);
  return (
    <div role="status" aria-live="polite" class="away-slot">
      {obstacles.length > 0 && (
        <div class="notice notice-away">
          <Icon name="alert" />
          <div>
            {obstacles.map((obstacle) => (
              <p key={obstacle.name}>
                <ObstacleWords obstacle={obstacle} />.
              </p>
            ))}
            <p>{WORDS.readiness.goesOn}</p>
          </div>
        </div>
      )}
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

/** Says why a request was refused; a person who is not signed in is taken to where one does so. */
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
        <p>
          <LinkedText text={refusal.message} />
        </p>
        <p class="faint">{code}</p>
      </div>
    </div>
  );
}
