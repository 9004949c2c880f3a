import type { JSX } from 'preact';
import type { Refused } from '../api/client.js';
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
            <a href="/console/login">{WORDS.pages.login}</a>
          </p>
        ) : (
          <p class="faint">{code}</p>
        )}
      </div>
    </div>
  );
}
