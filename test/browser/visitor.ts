import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Adds the size of targets for fingers (WCAG 2.2, 2.5.8), which axe leaves out by itself. */
const RULES = `{ 'target-size': { enabled: true } }`;
const RUN_AXE = `axe.run(document, { resultTypes: ['violations'], rules: ${RULES} }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`;
/** Only what hangs takes as long. */
const PATIENCE_MS = 30_000;

/** How a page is looked at. */
export interface Sight {
  readonly theme?: 'dark' | 'light';
  readonly width?: number;
  /** The time zone of the reader, as IANA names it. Default: that of this process. */
  readonly zone?: string;
}

/** A person with a browser, who notes what goes wrong in it and where it asks. */
export class Visitor {
  /** Errors that the browser reported. */
  readonly complaints: string[] = [];
  /** Clicks so far, those into text boxes and those that choose among options included. */
  clicks = 0;
  /** Addresses asked for that are not of the gateway. */
  readonly strays: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
    private readonly context: BrowserContext,
  ) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) this.strays.push(request.url());
    });
  }

  /** Opens a window of its own, with nothing kept from others. */
  static async open(browser: Browser, url: string, sight: Sight = {}): Promise<Visitor> {
    const { theme = 'light', width = 1_280, zone } = sight;
    const context = await browser.newContext({
      colorScheme: theme,
      viewport: { width, height: 900 },
      locale: 'en-GB',
      ...(zone !== undefined && { timezoneId: zone }),
    });
    return new Visitor(await context.newPage(), url, context);
  }

  /** Goes to an address of the console, as one who types it. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Clicks something, and counts it. */
  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }

  /** Writes into a box, after a click into it unless the page has put the cursor there. */
  async write(box: Locator, text: string): Promise<void> {
    await box.waitFor();
    if (!(await box.evaluate((element) => element.matches(':focus')))) await this.click(box);
    await box.fill(text);
  }

  /** Accessibility violations of the page, as axe reports them. */
  async violations(): Promise<readonly string[]> {
    await this.page.evaluate(AXE);
    return this.page.evaluate<string[]>(RUN_AXE);
  }

  /** Waits until the graph has a node of this name: `<step>, <state>`. */
  async seesNode(name: string): Promise<void> {
    const graph = this.page.getByRole('group', { name: 'Flow graph' });
    await graph.getByRole('button', { name, exact: true }).waitFor();
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
