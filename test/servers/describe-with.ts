import { describe, it } from '@jest/globals';
import { findServer } from './find-server.js';
import { isMissing } from './server.js';
import type { ServerName, ServerOptions } from './server.js';

/** The servers of a suite, by name, and whether they must be its own. */
export interface Needs extends Pick<ServerOptions, 'own'> {
  readonly servers: readonly ServerName[];
}

/** The decision on a suite, and the reason if it does not run. */
export type Verdict = 'run' | { readonly skip: string } | { readonly fail: string };

/**
 * A suite that needs servers. Where one is nowhere to be had, a person sees the suite skipped and
 * why in its name; under `CI=true` it fails, so that nothing passes because nothing ran.
 */
export function describeWith(name: string, needs: Needs, suite: () => void): void {
  const verdict = judgeNeeds(needs);
  if (verdict === 'run') {
    describe(name, suite);
  } else if ('skip' in verdict) {
    describe.skip(`${name} (skipped: ${verdict.skip})`, suite);
  } else {
    describe(name, () => {
      it('has the servers it needs', () => {
        throw new Error(verdict.fail);
      });
    });
  }
}

/** Decides by what is to be had on this machine now. */
export function judgeNeeds(needs: Needs): Verdict {
  const missing = needs.servers.map((server) => findServer(server, needs)).find(isMissing);
  if (!missing) return 'run';
  const reason = `${missing.missing} is missing: ${missing.why}`;
  return process.env['CI'] === 'true' ? { fail: reason } : { skip: reason };
}
