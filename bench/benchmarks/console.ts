import type { Browser } from 'playwright-core';
import { HAS_BROWSER, openBrowser } from '../../test/browser/chromium.js';
import type { Bench, Benchmark, Readings, Rival } from '../benchmark.js';
import { measureFirstView, watchList, watchTask } from '../console/watch.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';
import { quantile } from '../statistics.js';

const WATCHED = 'bench-watched';
const WATCHED_STEPS = 30;
const STEP_MS = 100;
const LISTED = 5;

const ROW = { better: 'less', beside: 'none' } as const;

/** Measures what a reader of the console waits for, in a real browser, while tasks run. */
export const standaloneConsole: Benchmark = {
  name: 'console',
  deployment: 'standalone',
  rows: [
    { ...ROW, name: 'first view of the console', unit: 'KiB', metric: 'size', limit: 200 },
    { ...ROW, name: 'overview can be used', unit: 'ms', metric: 'overview', limit: 1_500 },
    { ...ROW, name: 'list can be used', unit: 'ms', metric: 'list', limit: 1_500 },
    {
      ...ROW,
      name: 'event seen on the page of its task p95',
      unit: 'ms',
      metric: 'event p95',
      limit: 300,
    },
    { ...ROW, name: 'new task seen in the list p95', unit: 'ms', metric: 'row p95', limit: 300 },
  ],
  rivals: {
    ours: async (bench) => {
      if (!HAS_BROWSER) return { absent: 'there is no Chromium' };
      const site = await openStandalone(bench, { name: 'console' });
      return new ConsoleRival(site, await openBrowser(), bench);
    },
  },
};

class ConsoleRival implements Rival {
  constructor(
    private readonly site: Site,
    private readonly browser: Browser,
    private readonly bench: Bench,
  ) {}

  async measure(brief = false): Promise<Readings> {
    const url = await this.site.url();
    const step = { normal: { module: 'lab', command: 'sleep', parameters: { ms: STEP_MS } } };
    const steps = Array.from({ length: brief ? 1 : WATCHED_STEPS }, (_, index) => {
      return { name: `s${index}`, ...step };
    });
    await send('PUT', `${url}/v1/flows/${WATCHED}`, { steps });
    await this.#create(url);
    const overview = await this.#firstView(`${url}/console/`);
    const list = await this.#firstView(`${url}/console/tasks`);
    return {
      size: overview.kibibytes,
      overview: overview.interactiveMs,
      list: list.interactiveMs,
      ...(await this.#underLoad(url, brief)),
    };
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.site.stop();
  }

  async #firstView(address: string): ReturnType<typeof measureFirstView> {
    const context = await this.browser.newContext();
    try {
      return await measureFirstView(await context.newPage(), address);
    } finally {
      await context.close();
    }
  }

  /** Tasks come at a fixed pace until everything has been seen. */
  async #underLoad(url: string, brief: boolean): Promise<Readings> {
    const { pacedPerSecond: perSecond } = this.bench.sizes;
    const ms = brief ? 100 : WATCHED_STEPS * STEP_MS * 2;
    const load = this.site.drive({ kind: 'paced', flow: 'bench-lab', ms, perSecond });
    const context = await this.browser.newContext();
    try {
      const page = await context.newPage();
      const events = await watchTask(page, `${url}/console/tasks/${await this.#create(url)}`);
      await page.goto(`${url}/console/tasks`);
      await page.locator('a.row-link').first().waitFor();
      const rows: number[] = [];
      for (let n = 0; n < (brief ? 1 : LISTED); n += 1) {
        rows.push(await watchList(page, () => this.#create(url)));
      }
      return { 'event p95': quantile(events, 0.95), 'row p95': quantile(rows, 0.95) };
    } finally {
      await context.close();
      await load;
    }
  }

  async #create(url: string): Promise<string> {
    const made = await send('POST', `${url}/v1/tasks`, { flow: WATCHED, parameters: {} });
    return (made as { taskId: string }).taskId;
  }
}

async function send(method: string, url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
