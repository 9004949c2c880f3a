import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Api } from '../load/index.js';
import { type AppProcess, planStandalone, type WrittenSettings } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';
import { openBrowser } from './chromium.js';
import { type Sight, Visitor } from './visitor.js';

/** How a console is opened. */
export interface ConsolePlan {
  /** Names its folder. */
  readonly name: string;
  /** Flows besides those that come along. */
  readonly flows: object;
  readonly settings?: WrittenSettings;
  /** Prepares the folder before Backstep starts. */
  readonly before?: (folder: string) => Promise<void>;
}

/** The parts that tests of the console share: a Backstep, a browser, and the visitors of a test. */
export class ConsoleStage {
  readonly trial: Trial;
  #backstep: AppProcess | undefined;
  #browser: Browser | undefined;
  #visitors: Visitor[] = [];

  constructor(private readonly plan: ConsolePlan) {
    this.trial = new Trial(plan.name);
  }

  /** Opens everything before the tests of a suite, and closes it after them. */
  prepare(): void {
    beforeAll(this.trial.guard(() => this.#open()));
    afterEach(async () => {
      await Promise.all(this.#visitors.splice(0).map((visitor) => visitor.close()));
    });
    afterAll(() => this.trial.close());
  }

  get backstep(): AppProcess {
    return opened(this.#backstep);
  }

  get api(): Api {
    return new Api(this.backstep.url);
  }

  /** The newest visitor of this test. */
  get visitor(): Visitor {
    return opened(this.#visitors.at(-1));
  }

  /** Opens a window for a person who has not been anywhere yet. */
  async invite(sight: Sight = {}): Promise<Visitor> {
    const visitor = await Visitor.open(opened(this.#browser), this.backstep.url, sight);
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Opens a window at an address of the console. */
  async come(path: string, sight: Sight = {}): Promise<Page> {
    const visitor = await this.invite(sight);
    await visitor.visit(path);
    return visitor.page;
  }

  /** Nothing went wrong in any browser of this test, and none asked anybody else. */
  expectPeace(): void {
    const seen = this.#visitors.map(({ complaints, strays }) => ({ complaints, strays }));
    expect(seen).toEqual(seen.map(() => ({ complaints: [], strays: [] })));
  }

  async #open(): Promise<void> {
    await this.trial.open();
    // Settings may name files in the folder.
    const { before, flows, settings } = this.plan;
    const { folder } = this.trial;
    this.#backstep = await planStandalone({
      folder,
      settings: { ...WAITS.outlastFaults, flows: await writeFlows(folder, flows), ...settings },
    });
    this.trial.use({ stop: () => this.backstep.kill() });
    this.#browser = await openBrowser();
    this.trial.use({ stop: () => opened(this.#browser).close() });
    await before?.(folder);
    await this.backstep.start();
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the stage was not opened');
  return part;
}
