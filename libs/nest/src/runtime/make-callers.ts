import { Callers, IdentityTokens, KeyRing } from '#access';
import type { Clock, KeyStore, Observer } from '#ports';
import { type Settings, takes } from '#settings';
import { readJson } from './read-json.js';

/** The parts that callers are told apart with. */
interface CallerParts {
  readonly keys: KeyStore;
  /** The time of the deployment. */
  readonly clock: Clock;
  /** The time of this machine: waits end by it. */
  readonly machine: Clock;
  readonly observer: Observer;
}

/**
 * Makes the check that tells callers apart, as the settings want it: keys are known in any case.
 */
export function makeCallers(settings: Settings, { keys, ...parts }: CallerParts): Callers {
  const { auth } = settings;
  const ring = new KeyRing({ keys, clock: parts.clock });
  const tokens = takes(auth, 'oidc') ? makeTokens(settings, parts) : null;
  return new Callers({ keys: auth === 'oidc' ? null : ring, tokens, clock: parts.clock });
}

function makeTokens(
  settings: Settings,
  { clock, machine, observer }: Omit<CallerParts, 'keys'>,
): IdentityTokens | null {
  const { oidcAudience: audience, oidcGrants, oidcIssuer: issuer, oidcRolesClaim } = settings;
  if (issuer === null || audience === null) return null;
  return new IdentityTokens({
    issuer,
    audience,
    rolesClaim: oidcRolesClaim,
    grants: oidcGrants,
    readJson: (url) => readJson(url, machine),
    clock,
    observer,
  });
}
