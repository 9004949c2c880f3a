import { describe, it } from '@jest/globals';
import { HAS_BROWSER } from './chromium.js';

/** A suite that needs a browser: skipped by name where there is none, failed under `CI=true`. */
export function describeInBrowser(name: string, suite: () => void): void {
  if (HAS_BROWSER) return describe(name, suite);
  const reason = 'Chromium is missing; .ci/install-servers installs it';
  if (process.env['CI'] !== 'true') return describe.skip(`${name} (skipped: ${reason})`, suite);
  describe(name, () => {
    it('has the browser it needs', () => {
      throw new Error(reason);
    });
  });
}
