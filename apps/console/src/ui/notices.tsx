import type { JSX } from 'preact';
import type { Refused } from '../api/exchange.js';
import { WORDS } from '../words.js';
import { Icon } from './icons.js';

/** Says when nothing answers, and nothing else; what was there stays on the page. */
export function AwayNotice({ isAway }: { readonly isAway: boolean }): JSX.Element {
  return (
    <div role="status" aria-live="polite" class="away-slot">
      {isAway && (
        <p class="notice notice-away">
          <Icon name="alert" />
          {WORDS.away}
        </p>
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

/** Says why a request was refused. */
export function RefusalNotice({ refusal }: { readonly refusal: Refused }): JSX.Element {
  const { code } = refusal.problem;
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <div>
        <p>{refusal.message}</p>
        {code === 'UNAUTHENTICATED' ? (
          <p>
            <a href={loginFrom(location)}>{WORDS.pages.login}</a>
          </p>
        ) : (
          <p class="faint">{code}</p>
        )}
      </div>
    </div>
  );
}
