import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, untilTrue } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const GROUPS = 20;
/** With the group itself and the last step: a thousand steps in all. */
const STEPS = 49;
/** Steps of a flow without groups, and which of them fails. */
const FLAT = 1_000;
const FAILS_AT = 500;
/** Too many steps to be drawn side by side, and too few to be folded. */
const CHAIN = 20;
/** A large graph that is folded draws its outermost steps alone. */
const DRAWN_MAX = 60;

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const set = (name: string) => ({ name, set: { [name.replace('-', '_')]: 1 } });

const FLOWS = {
  ...PRACTICE_FLOWS,
  'graph-thousand': numbers(GROUPS).map((g) => ({
    name: `group-${g}`,
    group: numbers(STEPS).map((n) =>
      g === GROUPS && n === STEPS
        ? { name: 'end', fail: { code: 'TOLD', message: 'It was told to fail.' } }
        : set(`s${g}-${n}`),
    ),
  })),
  'graph-flat': numbers(FLAT).map((n) =>
    n === FAILS_AT
      ? { name: 'end', fail: { code: 'TOLD', message: 'It was told to fail.' } }
      : set(`f-${n}`),
  ),
  'graph-chain': numbers(CHAIN).map((n) => set(`c-${n}`)),
  'graph-chain-fails': [
    ...numbers(CHAIN).map((n) => set(`c-${n}`)),
    { name: 'end', fail: { code: 'TOLD', message: 'It was told to fail.' } },
  ],
  'graph-names': {
    steps: [
      { name: 'check_resource', normal: { module: 'lab', command: 'succeed' } },
      {
        name: 'reserve_machine_in_region_of_customer',
        normal: { module: 'lab', command: 'effect', parameters: { name: 'a' } },
        rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'a' } },
      },
      {
        name: 'tried_twice',
        normal: { module: 'lab', command: 'flaky', parameters: { failures: 1 }, retry: 1 },
      },
      {
        name: 'a-group-of-many',
        group: [{ name: 'within_a_group', normal: { module: 'lab', command: 'succeed' } }],
      },
    ],
  },
  'graph-pivot': {
    steps: [
      { name: 'pay', pivot: true, normal: { module: 'lab', command: 'succeed' } },
      { name: 'tell', normal: { module: 'lab', command: 'succeed' } },
    ],
  },
};

const graphOf = (page: Page): Locator => page.getByRole('group', { name: 'Flow graph' });

/** Nodes that are drawn: named by a step and its state. */
const nodesOf = (page: Page): Locator =>
  graphOf(page).getByRole('button', { name: /^[a-z\d-]+, [a-z_]+/ });

const foldOf = (page: Page, step: string): Locator =>
  graphOf(page).getByRole('button', { name: new RegExp(`^\\d+ steps? of ${step}$`) });

describeInBrowser('the graph of a task', () => {
  const stage = new ConsoleStage({ name: 'console-graph', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  trial.it('of a thousand steps is folded, but for the way to the one that failed', async () => {
    const { taskId } = await stage.api.run('graph-thousand');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    await stage.visitor.seesNode('group-1, succeeded');
    expect(await nodesOf(page).count()).toBe(GROUPS + STEPS);
    // The step that failed stands in the middle, and its name can be read.
    const end = graphOf(page).getByRole('button', { name: 'end, failed' });
    await untilInSight(page, `document.querySelector('[data-id$="/end"] button')`);
    expect((await end.boundingBox())?.height).toBeGreaterThan(40);
    await foldOf(page, `group-${GROUPS}`).focus();
    await page.keyboard.press('Enter');
    await graphOf(page).getByRole('button', { name: 'end, failed' }).waitFor({ state: 'detached' });
    expect(await nodesOf(page).count()).toBe(GROUPS);
    expect(await graphOf(page).getByRole('button').count()).toBeLessThan(DRAWN_MAX);
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('of a thousand flat steps folds in runs, but for the one that failed', async () => {
    const { taskId } = await stage.api.run('graph-flat');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    await stage.visitor.seesNode('f-1, succeeded');
    await stage.visitor.seesNode('f-1000, pending');
    await graphOf(page).getByText('98 succeeded').waitFor();
    expect(await nodesOf(page).count()).toBe(11);
    expect(await graphOf(page).getByRole('button').count()).toBeLessThan(DRAWN_MAX);
    expect(await stage.visitor.violations()).toEqual([]);
    const run = foldOf(page, 'steps 6–104');
    await run.focus();
    await page.keyboard.press('Enter');
    await stage.visitor.seesNode('f-6, succeeded');
    expect(await nodesOf(page).count()).toBe(11 + 99);
    expect(await stage.visitor.violations()).toEqual([]);
    await run.focus();
    await page.keyboard.press('Enter');
    await graphOf(page).getByRole('button', { name: /^f-6,/ }).waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  trial.it('of a chain that has succeeded begins at the edge with its first step', async () => {
    const { taskId } = await stage.api.run('graph-chain');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode(`c-${CHAIN}, succeeded`);
    await untilInSight(page, `document.querySelector('[data-id="c-1"] button')`);
    const [area, first] = await Promise.all([
      page.locator('.graph-canvas').boundingBox(),
      graphOf(page).getByRole('button', { name: 'c-1, succeeded' }).boundingBox(),
    ]);
    expect((first?.x ?? Infinity) - (area?.x ?? 0)).toBeLessThan(50);
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('of a chain that has failed at its end shows that end beside the map', async () => {
    const { taskId } = await stage.api.run('graph-chain-fails');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    await untilInSight(page, `document.querySelector('[data-id="end"] button')`);
    const [map, end] = await Promise.all([
      page.getByRole('img', { name: 'Map of the graph' }).boundingBox(),
      page.locator('[data-id="end"]').boundingBox(),
    ]);
    expect((end?.x ?? Infinity) + (end?.width ?? 0)).toBeLessThanOrEqual(map?.x ?? 0);
    stage.expectPeace();
  });

  trial.it('opens and folds by the keyboard, and keeps the focus in sight', async () => {
    const { taskId } = await stage.api.run('graph-thousand');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    await page.getByRole('button', { name: 'Fold all' }).focus();
    await page.keyboard.press('Enter');
    const own = foldOf(page, 'group-7');
    await own.and(page.locator('[aria-expanded=false]')).focus();
    await page.keyboard.press('Enter');
    await stage.visitor.seesNode('s7-49, succeeded');
    expect(await nodesOf(page).count()).toBe(GROUPS + STEPS);
    expect(await own.getAttribute('aria-expanded')).toBe('true');
    expect(await own.evaluate((element) => element.matches(':focus'))).toBe(true);
    for (let n = 0; n < STEPS; n += 1) await page.keyboard.press('Tab');
    await untilInSight(page, 'document.activeElement');
    await own.focus();
    await page.keyboard.press('Space');
    await graphOf(page)
      .getByRole('button', { name: /^s7-/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await nodesOf(page).count()).toBe(GROUPS);
    await untilInSight(page, 'document.activeElement');
    stage.expectPeace();
  });

  trial.it('shows what is picked in the timeline, wherever that is folded', async () => {
    const { taskId } = await stage.api.run('graph-thousand');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('end, failed');
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const picked = timeline.getByRole('button', { name: /s20-46$/ });
    await page.getByRole('button', { name: 'Fold all' }).click();
    await graphOf(page).getByRole('button', { name: 'end, failed' }).waitFor({ state: 'detached' });
    await untilTrue(page, SCROLLED_TO_46);
    await picked.first().click();
    await graphOf(page)
      .getByRole('button', { name: /^s20-46, /, pressed: true })
      .waitFor();
    stage.expectPeace();
  });

  trial.it('opens all of a thousand when it is asked to', async () => {
    const page = await stage.come('/flows/graph-thousand');
    await stage.visitor.seesNode('group-1');
    const all = graphOf(page).getByRole('button', { name: /^(s|group-|end)[\d-]*$/ });
    expect(await all.count()).toBe(GROUPS);
    await page.getByRole('button', { name: 'Open all' }).click();
    await stage.visitor.seesNode('s20-48');
    expect(await all.count()).toBe(GROUPS * (STEPS + 1));
    await page.getByRole('button', { name: 'Fold all' }).click();
    await all.nth(GROUPS).waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  trial.it('that is small is open, and is folded by whoever wants it', async () => {
    const { taskId } = await stage.api.run('lab-group-undone');
    const page = await stage.come(`/tasks/${taskId}`, { theme: 'dark', width: 360 });
    await stage.visitor.seesNode('effect, succeeded, undo succeeded');
    const scope = graphOf(page).getByRole('button', { name: 'try 1 of both' });
    await scope.click();
    await graphOf(page)
      .getByRole('button', { name: /^effect/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await scope.getAttribute('aria-expanded')).toBe('false');
    expect(await stage.visitor.violations()).toEqual([]);
    await foldOf(page, 'both').click();
    await scope.waitFor({ state: 'detached' });
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('shows the whole of a name, and nothing over it', async () => {
    const { taskId } = await stage.api.run('graph-names');
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('check_resource, succeeded');
    expect(await page.evaluate(COVERED_NAMES)).toEqual([]);
    expect(await graphOf(page).locator('.node-name').count()).toBe(5);
    await stage.visitor.visit('/flows/graph-names');
    await page.getByRole('button', { name: 'tried_twice', exact: true }).waitFor();
    expect(await page.evaluate(COVERED_NAMES)).toEqual([]);
    stage.expectPeace();
  });

  trial.it('marks a point of no return', async () => {
    const { taskId } = await stage.api.run('graph-pivot');
    const page = await stage.come(`/tasks/${taskId}`);
    const description = 'Point of no return';
    await page.getByRole('button', { name: 'pay, succeeded', exact: true, description }).waitFor();
    await stage.visitor.seesNode('tell, succeeded');
    expect(await graphOf(page).getByText(description).count()).toBe(1);
    await stage.visitor.visit('/flows/graph-pivot');
    await page.getByRole('button', { name: 'pay', exact: true, description }).waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });
});

/** Scrolls the timeline, which is drawn in part, until it shows this step. */
const SCROLLED_TO_46 = `(() => {
  const box = document.querySelector('.timeline-box');
  const names = [...box.querySelectorAll('button')].map(({ textContent }) => textContent);
  const isThere = names.some((name) => name.endsWith('s20-46'));
  if (!isThere) box.scrollBy(0, 400);
  return isThere;
})()`;

/** Names of nodes that are cut, broken within a word, or under something else. */
const COVERED_NAMES = `(() => {
  const meets = (one, other) => one.left < other.right && other.left < one.right &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1;
  const boxOf = (element) => element.getBoundingClientRect();
  return [...document.querySelectorAll('.node-name')].filter((name) => {
    const others = [...name.parentElement.children].filter((other) =>
      other !== name && other.matches('.node-command, .node-state, .lane'));
    const range = document.createRange();
    range.selectNodeContents(name);
    const isBroken = [...name.childNodes].some((part) => {
      if (part.nodeType !== 3) return false;
      range.selectNode(part);
      return range.getClientRects().length > 1;
    });
    return isBroken || name.scrollHeight > name.clientHeight + 1 ||
      others.some((other) => meets(boxOf(name), boxOf(other)));
  }).map((name) => name.textContent);
})()`;

/** Waits until all of an element is within the graph, as it is seen. */
function untilInSight(page: Page, element: string): Promise<void> {
  return untilTrue(
    page,
    `(() => {
    const element = ${element};
    const graph = element.closest('.graph');
    if (graph === null) return false;
    const area = graph.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    return box.left >= area.left && box.right <= area.right &&
      box.top >= area.top && box.bottom <= area.bottom;
  })()`,
  );
}
