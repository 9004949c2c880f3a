import type { Page } from 'playwright-core';
import { untilTrue } from '../browser/until-true.js';
import type { PicturedTasks } from './tasks.js';

/** A picture of the console, as docs/ shows it. */
export interface Picture {
  /** Of its file, without the ending. */
  readonly name: string;
  /** Light alone, unless it says more. */
  readonly themes?: readonly ('dark' | 'light')[];
  readonly width?: number;
  readonly height?: number;
  /** Address within the console. */
  readonly at: (tasks: PicturedTasks) => string;
  /** Brings the page to where a person would look at it, before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const BOTH = ['light', 'dark'] as const;
const PHONE = { width: 390, height: 780 };

/** Where the drawing is: it is put into its place once its size is known. */
const MOVED = `document.querySelector('.graph-viewport').style.transform`;

async function graphIsDrawn(page: Page): Promise<void> {
  await page.getByRole('group', { name: 'Flow graph' }).getByRole('button').first().waitFor();
  await untilTrue(page, `${MOVED} !== 'translate(0px, 0px) scale(1)'`);
}

async function linkIsThere(page: Page, text: string): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: text }).first().waitFor();
}

/** Every picture, in the order of docs/console.md. */
export const PICTURES: readonly Picture[] = [
  {
    name: 'task-rolled-back',
    themes: BOTH,
    at: ({ rolledBack }) => `/tasks/${rolledBack}`,
    prepare: graphIsDrawn,
  },
  { name: 'overview', at: () => '/', prepare: (page) => linkIsThere(page, 'delete-tenant') },
  {
    name: 'tasks',
    at: () => '/tasks?q=parent:none',
    prepare: (page) => linkIsThere(page, 'rotate-certificate'),
  },
  { name: 'task-retrying', at: ({ retries }) => `/tasks/${retries}`, prepare: graphIsDrawn },
  { name: 'task-waits', at: ({ asks }) => `/tasks/${asks}`, prepare: graphIsDrawn },
  { name: 'task-stuck', at: ({ stuck }) => `/tasks/${stuck}`, prepare: graphIsDrawn },
  { name: 'task-foreach', at: ({ fleet }) => `/tasks/${fleet}`, prepare: graphIsDrawn },
  { name: 'task-chain', at: ({ chain }) => `/tasks/${chain}`, prepare: graphIsDrawn },
  {
    name: 'task-on-a-phone',
    ...PHONE,
    at: ({ rolledBack }) => `/tasks/${rolledBack}`,
    prepare: graphIsDrawn,
  },
  { name: 'inbox', at: () => '/inbox', prepare: (page) => linkIsThere(page, 'delete-tenant') },
  {
    name: 'approve',
    at: () => '/inbox',
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Approve/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'flow',
    height: 1_000,
    at: () => '/flows/create-db-instance',
    prepare: async (page) => {
      await graphIsDrawn(page);
      const part = page.getByRole('heading', { name: 'How it does' });
      await part.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'executors',
    height: 1_000,
    at: () => '/executors',
    prepare: async (page) => {
      await page.getByText('init_instance').first().waitFor();
      await page.getByRole('heading', { name: 'Limits of modules' }).waitFor();
    },
  },
];
