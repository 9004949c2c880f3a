import { expect, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, untilTrue } from '../browser/index.js';
import { untilTask } from '../ledger/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

/** Longer than every poll of a page that moves. */
const WATCHED_MS = 15_000;
const STEPS = 200;
const PHONE = 390;

const succeed = (name: string) => ({ name, normal: { module: 'lab', command: 'succeed' } });
const effect = (name: string) => ({
  name,
  normal: { module: 'lab', command: 'effect', parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});
const END = { name: 'end', fail: { code: 'TOLD', message: 'It was told to fail.' } };
const LOOK = { name: 'look', set: { looked: true } };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

const FLOWS = {
  ...PRACTICE_FLOWS,
  'rest-back': { steps: [...numbers(STEPS - 1).map((n) => effect(`make-${n}`)), END] },
  'rest-asks': { steps: [succeed('draft'), { name: 'ask', approve: { title: 'Sure?' } }] },
  'rest-retry': {
    steps: [
      {
        name: 'flaky',
        normal: {
          module: 'lab',
          command: 'flaky',
          parameters: { failures: 9 },
          retry: { attempts: 9, delay: '60s', maxDelay: '60s' },
        },
      },
    ],
  },
  'rest-signal': { steps: [{ name: 'listen', wait: { signal: 'go' } }] },
  'rest-loop': {
    steps: [
      { name: 'poll', loop: { max: 900, delay: '100ms', until: '{% false %}', steps: [LOOK] } },
    ],
  },
  'rest-fleet': {
    steps: [
      {
        name: 'each',
        foreach: {
          in: numbers(50),
          as: 'host',
          concurrency: 50,
          steps: [
            effect('make'),
            { name: 'check', if: '{% host = 17 %}', fail: { code: 'BAD', message: 'is bad' } },
          ],
        },
      },
    ],
  },
};

describeInBrowser('the page of a task that stands still', () => {
  const stage = new ConsoleStage({ name: 'console-rest', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  /** Requests of the page from now on. */
  const requestsOf = (page: Page): string[] => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    return sent;
  };

  trial.it('sends nothing, and follows the task again once somebody acts on it', async () => {
    const ended = await stage.api.run('lab-succeed');
    const asks = await stage.api.create('rest-asks');
    const pages = await Promise.all([ended.taskId, asks].map((id) => stage.come(`/tasks/${id}`)));
    const [done, asking] = pages as [Page, Page];
    await asking.getByText('Waits for approval').first().waitFor();
    // Each page asks some things when it comes.
    await asking.reload();
    await asking.getByText('Waits for approval').first().waitFor();
    await Promise.all(pages.map((page) => page.waitForLoadState('networkidle').catch(() => {})));
    const sent = pages.map(requestsOf);
    await done.waitForTimeout(WATCHED_MS);
    expect(sent).toEqual([[], []]);
    await done.getByRole('button', { name: 'Undo', exact: true }).click();
    const dialog = done.getByRole('dialog', { name: 'Undo' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('not wanted');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await done.getByRole('status').getByText('Rolled back').waitFor();
    await stage.api.act(asks, 'approve', { step: 'ask', comment: 'yes' });
    await asking.getByRole('status').getByText('Succeeded').waitFor();
    stage.expectPeace();
  });

  trial.it('says on its badge what a person must know, and shows the step in the way', async () => {
    const asks = await stage.api.create('rest-asks');
    const tried = await stage.api.create('rest-retry');
    const asking = await stage.come(`/tasks/${asks}`);
    await asking.getByRole('heading', { name: 'Step: ask' }).waitFor();
    const buttons = asking.locator('.action-bar > button');
    expect((await buttons.allTextContents()).slice(0, 2)).toEqual(['Approve', 'Reject']);
    expect(await asking.locator('.action-bar > .main').allTextContents()).toEqual(['Approve']);
    const page = await stage.come(`/tasks/${tried}`, { width: PHONE, zone: 'Asia/Kolkata' });
    await page
      .locator('.big-state')
      .getByText(/^Retrying \d$/)
      .waitFor();
    await page.getByRole('heading', { name: 'Step: flaky' }).waitFor();
    const why = page.getByRole('region', { name: 'How it goes on' });
    await why.getByText('GMT+5:30').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/\d{4}-\d\d-\d\dT|\d{4} ms/);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE);
    expect(await stage.visitor.violations()).toEqual([]);
    const runs = await stage.api.create('lab-long');
    const moving = await stage.come(`/tasks/${runs}`);
    await moving.getByRole('heading', { name: 'Step: sleep' }).waitFor();
    await stage.api.act(runs, 'terminate', { reason: 'enough' });
    stage.expectPeace();
  });

  trial.it('says the same in lists, of a task that waits without a person', async () => {
    const { api } = stage;
    const tried = await api.create('rest-retry');
    const listening = await api.create('rest-signal');
    for (const id of [tried, listening]) {
      const isTold = async (): Promise<void> => {
        const { awaits } = await api.get<{ awaits: object | null }>(`/v1/tasks/${id}`);
        if (awaits === null) throw new Error('it waits for nothing so far');
      };
      await waitUntil(isTold, { what: 'the task waits', deadlineMs: 30_000 });
    }
    const page = await stage.come('/tasks');
    const rowOf = (id: string) =>
      page.getByRole('row').filter({ has: page.locator(`a.row-link[href$="${id}"]`) });
    await rowOf(tried)
      .getByText(/^Retrying \d$/)
      .waitFor();
    await rowOf(listening).getByText('Waits for a signal').waitFor();
    for (const id of [tried, listening]) await api.act(id, 'terminate', { reason: 'enough' });
    stage.expectPeace();
  });

  trial.it('asks for a task that has ended once, however long its history is', async () => {
    const { taskId } = await stage.api.run('rest-back');
    await untilTask(stage.api, taskId);
    const { page } = await stage.invite();
    const bodies: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname === `/v1/tasks/${taskId}` && response.status() === 200) bodies.push(pathname);
    });
    await stage.visitor.visit(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(bodies).toHaveLength(1);
    stage.expectPeace();
  });

  trial.it(
    'of two hundred steps ends where its contents do, and draws a part of them',
    async () => {
      const { taskId } = await stage.api.run('rest-back');
      await untilTask(stage.api, taskId);
      for (const width of [1_440, 1_024, PHONE]) {
        const page = await stage.come(`/tasks/${taskId}`, { width });
        await stage.visitor.seesNode('end, failed');
        await page.getByRole('table', { name: 'How long each step took' }).waitFor();
        const [height, end, elements] = await page.evaluate<number[]>(`[
        document.documentElement.scrollHeight,
        Math.ceil(document.querySelector('main').getBoundingClientRect().bottom + scrollY),
        document.querySelectorAll('*').length,
      ]`);
        // Parts of pixels are counted as whole ones.
        expect([width, Math.abs((height ?? 0) - (end ?? 0)) <= 1]).toEqual([width, true]);
        expect(elements).toBeLessThan(2_500);
      }
      const page = stage.visitor.page;
      const timeline = page.getByRole('list', { name: 'Timeline' });
      const first = timeline.getByRole('listitem').filter({ hasText: 'created' });
      await untilTrue(
        page,
        `(() => {
        const box = document.querySelector('.timeline-box');
        box.scrollTo(0, box.scrollHeight);
        return /created/.test(box.textContent);
      })()`,
      );
      await first.waitFor();
      await page.emulateMedia({ media: 'print' });
      const { length } = await stage.api.events(taskId);
      await timeline
        .getByRole('listitem')
        .nth(length - 1)
        .waitFor();
      stage.expectPeace();
    },
  );

  trial.it('lets one finger scroll past the graph of a phone, and two move it', async () => {
    const { taskId } = await stage.api.run('rest-back');
    const visitor = await stage.invite({ width: PHONE });
    const { page } = visitor;
    const touch = await page.context().newCDPSession(page);
    // Before the page comes, which looks whether there are fingers.
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    await visitor.visit(`/tasks/${taskId}`);
    await visitor.seesNode('end, failed');
    const middle = async (): Promise<number> => {
      const box = await page.locator('.graph').boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0) / 2;
    };
    const drag = async (columns: readonly number[], from: number): Promise<void> => {
      for (let moved = 0; moved <= 200; moved += 10) {
        const touchPoints = columns.map((x, id) => ({ x, y: from - moved, id }));
        const type = moved === 0 ? 'touchStart' : 'touchMove';
        await touch.send('Input.dispatchTouchEvent', { type, touchPoints });
      }
      await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await page.locator('.graph').evaluate('(graph) => graph.scrollIntoView({ block: "center" })');
    const [top, drawn] = [await page.evaluate<number>('scrollY'), await placeOf(page)];
    await page.evaluate(
      'void document.addEventListener("scrollend", () => { globalThis.isStill = true; })',
    );
    await drag([PHONE / 2], await middle());
    await untilTrue(page, `scrollY > ${top + 100}`);
    expect(await placeOf(page)).toBe(drawn);
    // A page that was let go moves on for a while.
    await untilTrue(page, 'globalThis.isStill === true');
    const rest = await page.evaluate<number>('scrollY');
    await drag([150, 250], await middle());
    await untilTrue(page, `${PLACE} !== '${drawn}'`);
    expect(Math.abs((await page.evaluate<number>('scrollY')) - rest)).toBeLessThan(20);
    stage.expectPeace();
  });

  trial.it('keeps the graph of a live loop where its reader moved it', async () => {
    const taskId = await stage.api.create('rest-loop');
    const page = await stage.come(`/tasks/${taskId}`);
    await untilTrue(page, `${LAST_ROUND} > 0`);
    await page.locator('.graph-pane').hover({ position: { x: 20, y: 60 } });
    await page.mouse.down();
    await page.mouse.move(700, 500, { steps: 4 });
    await page.mouse.up();
    const moved = await placeOf(page);
    const round = await page.evaluate<number>(LAST_ROUND);
    await untilTrue(page, `${LAST_ROUND} > ${round + 9}`);
    expect(await placeOf(page)).toBe(moved);
    expect(await page.locator('.scope').count()).toBeLessThan(12);
    await stage.api.act(taskId, 'terminate', { reason: 'enough' });
    stage.expectPeace();
  });

  trial.it('counts child tasks as they stand, and leads to the one that failed', async () => {
    const { taskId } = await stage.api.run('rest-fleet');
    const page = await stage.come(`/tasks/${taskId}`, { theme: 'dark' });
    const tally = page.getByRole('list', { name: 'How they stand' });
    await tally.getByText('49 undone').waitFor();
    expect(await tally.getByRole('listitem').allTextContents()).toEqual(['1 failed', '49 undone']);
    const grid = page.getByRole('list', { name: 'All child tasks' });
    expect(await grid.getByRole('link').first().textContent()).toBe('item 16 Rolled back');
    expect(await stage.visitor.violations()).toEqual([]);
    await page
      .getByRole('table', { name: 'Child tasks' })
      .getByRole('link', { name: 'item 16' })
      .click();
    await page.getByRole('heading', { name: 'Step: check' }).waitFor();
    stage.expectPeace();
  });
});

/** Where the drawing stands, and how large it is. */
const PLACE = `document.querySelector('.graph-viewport').style.transform`;
/** The number of the newest round that is drawn. */
const LAST_ROUND = `Math.max(0, ...[...document.querySelectorAll('.scope-title')]
  .map(({ textContent }) => Number(/^round (\\d+)/.exec(textContent)?.[1] ?? 0)))`;

function placeOf(page: Page): Promise<string> {
  return page.evaluate<string>(PLACE);
}
