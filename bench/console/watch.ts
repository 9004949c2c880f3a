import type { Page } from 'playwright-core';

/** The measurements of one page in the browser. */
interface Noted {
  /** Milliseconds from an event or a moment to the frame that showed it. */
  readonly waits: readonly number[];
}

/**
 * Notes each entry that comes into the timeline: from the moment of the event, by the clock of this
 * machine, to the end of the frame that shows it.
 */
const WATCH_TIMELINE = `(() => {
  const seen = new Set();
  window.benchWaits = [];
  const look = () => {
    const fresh = [...document.querySelectorAll('main time[datetime]')]
      .filter((time) => time.closest('li') !== null && !seen.has(time.closest('li')));
    for (const time of fresh) seen.add(time.closest('li'));
    requestAnimationFrame(() => {
      for (const time of fresh) window.benchWaits.push(Date.now() - Date.parse(time.dateTime));
    });
  };
  for (const entry of document.querySelectorAll('main li')) seen.add(entry);
  new MutationObserver(look).observe(document.querySelector('main'), {
    childList: true,
    subtree: true,
  });
})()`;

/**
 * Resolves to the time, in milliseconds since the navigation began, at which the first row stands
 * there and the main thread has answered a frame and a task after it.
 */
const FIRST_ROW = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('a.row-link') === null) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
  };
  look();
})`;

/** A view is whole once nothing was under way at a number of looks in a row. */
const QUIET_LOOKS = 5;
const LOOK_MS = 100;

/** The first view of a window that has kept nothing: its size, and when it can be used. */
export async function measureFirstView(
  page: Page,
  address: string,
): Promise<{ readonly kibibytes: number; readonly interactiveMs: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  const open = new Set<string>();
  session.on('Network.requestWillBeSent', ({ request, requestId }) => {
    // The stream of changes never ends.
    if (!request.url.includes('/v1/events')) open.add(requestId);
  });
  session.on('Network.loadingFailed', ({ requestId }) => void open.delete(requestId));
  session.on('Network.loadingFinished', ({ encodedDataLength, requestId }) => {
    open.delete(requestId);
    bytes += encodedDataLength;
  });
  await page.goto(address, { waitUntil: 'commit' });
  const interactiveMs = await page.evaluate<number>(FIRST_ROW);
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet = open.size === 0 ? quiet + 1 : 0) {
    await page.waitForTimeout(LOOK_MS);
  }
  await session.detach();
  return { kibibytes: bytes / 1_024, interactiveMs };
}

/** How late the events of the task that the page shows were seen, until it has ended. */
export async function watchTask(page: Page, address: string): Promise<readonly number[]> {
  await page.goto(address);
  await page.getByRole('list', { name: 'Timeline' }).waitFor();
  await page.evaluate(WATCH_TIMELINE);
  await page.getByText('task succeeded').first().waitFor();
  const { waits } = await page.evaluate<Noted>('({ waits: window.benchWaits })');
  return waits;
}

/** From the answer to a request that made a task to the frame in which the list shows it. */
export async function watchList(page: Page, make: () => Promise<string>): Promise<number> {
  const taskId = await make();
  const from = performance.now();
  await page.locator(`a.row-link[href$="${taskId}"]`).waitFor();
  return performance.now() - from;
}
