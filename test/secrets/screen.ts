import type { Page, Response } from 'playwright-core';
import { openBrowser } from '../browser/chromium.js';
import { Visitor } from '../browser/index.js';
import type { Site } from './site.js';

/** A browser before the console of a site: what it shows, and what it was answered, is kept. */
export class Screen {
  #asked: Promise<void>[] = [];

  private constructor(
    private readonly visitor: Visitor,
    private readonly site: Site,
  ) {
    this.page.on('response', (response) => this.#asked.push(this.#keep(response)));
  }

  static async open(site: Site): Promise<Screen> {
    const browser = await openBrowser();
    site.trial.use({ stop: () => browser.close() });
    return new Screen(await Visitor.open(browser, site.url), site);
  }

  get page(): Page {
    return this.visitor.page;
  }

  /** Goes to a page, and looks when it shows this. */
  async look(path: string, shown: string): Promise<void> {
    await this.visitor.visit(path);
    await this.page.getByText(shown).filter({ visible: true }).first().waitFor();
    await this.#keepSight(path);
  }

  /** Looks at a task, and at the details of each of its steps. */
  async lookAtTask(taskId: string): Promise<void> {
    await this.visitor.visit(`/tasks/${taskId}`);
    await this.page.getByRole('list', { name: 'Timeline' }).getByText('task').first().waitFor();
    const graph = this.page.getByRole('group', { name: 'Flow graph' });
    await graph.getByRole('button').first().waitFor();
    for (const node of await graph.getByRole('button').all()) {
      // By the keyboard: a node need not be within the part of the graph that is seen.
      await node.press('Enter');
      await this.#keepSight(`/tasks/${taskId}`);
    }
  }

  /** The whole page, which holds its texts and what is in its attributes. */
  async #keepSight(path: string): Promise<void> {
    await Promise.all(this.#asked.splice(0));
    this.site.keep(`screen ${path}`, await this.page.content());
  }

  /** Streams do not end: they are followed without a browser. */
  async #keep(response: Response): Promise<void> {
    if (response.headers()['content-type']?.includes('event-stream') === true) return;
    // A page that is left takes along what was on its way.
    const body = await response.body().catch(() => Buffer.alloc(0));
    this.site.keep(`screen asked ${response.url()}`, body.toString());
  }
}
