import type { Page } from 'playwright-core';
import { waitUntil } from '../servers/wait-until.js';

const DEADLINE_MS = 30_000;

/**
 * Waits until an expression is true on a page. `page.waitForFunction` cannot: it evaluates again
 * from within the page, where the content security policy allows no evaluation.
 */
export function untilTrue(page: Page, expression: string): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await page.evaluate<unknown>(expression))) throw new Error('it is false');
  };
  return waitUntil(probe, { what: `on the page: ${expression}`, deadlineMs: DEADLINE_MS });
}
