import { expect, jest } from '@jest/globals';
import { parse } from 'jsonc-parser';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, untilTrue } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

const lab = (command: string) => ({ module: 'lab', command });

const CHAIN = `{
  // Nothing else may be lost.
  "steps": [
    { "name": "one", "normal": { "module": "lab", "command": "succeed" } }, // By hand.
    { "name": "two", "normal": { "module": "lab", "command": "succeed" } }
  ]
}`;

const GRAPH = `{
  "steps": [
    { "name": "a", "needs": [], "normal": { "module": "lab", "command": "succeed" } },
    { "name": "b", "needs": ["a"], "normal": { "module": "lab", "command": "succeed" } },
    { "name": "c", "needs": ["b"], "normal": { "module": "lab", "command": "succeed" } },
    // In turn.
    { "name": "all", "needs": ["b"], "foreach": { "in": [1], "as": "n", "steps": [
      { "name": "inner", "normal": { "module": "lab", "command": "succeed" } }
    ] } }
  ]
}`;

interface Written {
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

const boxOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Text of the flow' });
const toolsOf = (page: Page): Locator => page.getByRole('region', { name: 'Change the drawing' });
const nodeOf = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Flow graph' }).getByRole('button', { name, exact: true });

/** The text of the box, as the browser keeps it. */
async function textOf(page: Page): Promise<string> {
  const lines = await page.locator('.cm-line').allTextContents();
  return lines.join('\n');
}

async function flowOf(page: Page): Promise<Written> {
  return parse(await textOf(page)) as Written;
}

describeInBrowser('the drawing of a flow that is written', () => {
  const stage = new ConsoleStage({ name: 'console-drawing', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  /** Opens the page of a new flow with a text. */
  async function begin(text: string, sight: Parameters<typeof stage.come>[1] = {}): Promise<Page> {
    const page = await stage.come('/new-flow', sight);
    await boxOf(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
    return page;
  }

  trial.it('adds a step to a chain by the keyboard alone', async () => {
    const page = await begin(CHAIN);
    await nodeOf(page, 'one').focus();
    await page.keyboard.press('Enter');
    const tools = toolsOf(page);
    await tools.getByRole('button', { name: 'Add a step after one' }).focus();
    await page.keyboard.press('Enter');
    const form = tools.getByRole('form', { name: 'Add a step after one' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.type('lab.sleep');
    await page.keyboard.press('Escape');
    await form.getByRole('textbox', { name: 'ms' }).focus();
    await page.keyboard.type('12345678901234567890');
    await page.keyboard.press('Enter');
    await form.getByText('12345678901234567890 has more digits').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('5');
    await page.keyboard.press('Enter');
    await nodeOf(page, 'sleep').waitFor();
    await tools.getByText('sleep was added.').waitFor();
    const sleep = { name: 'sleep', normal: { ...lab('sleep'), parameters: { ms: 5 } } };
    expect((await flowOf(page)).steps).toMatchObject([
      { name: 'one' },
      { ...sleep, rollback: null },
      { name: 'two' },
    ]);
    await tools.getByRole('button', { name: 'Take back' }).click();
    await nodeOf(page, 'sleep').waitFor({ state: 'detached' });
    expect(await textOf(page)).toBe(CHAIN);
    stage.expectPeace();
  });

  trial.it('changes, moves and removes steps of a chain by the keyboard alone', async () => {
    const page = await begin(CHAIN);
    await nodeOf(page, 'one').focus();
    await page.keyboard.press('Enter');
    const tools = toolsOf(page);
    await tools.getByRole('button', { name: 'Later' }).focus();
    await page.keyboard.press('Enter');
    await tools.getByText('one was moved.').waitFor();
    expect((await flowOf(page)).steps.map(({ name }) => name)).toEqual(['two', 'one']);
    const change = tools.getByRole('form', { name: 'Step one' });
    await change.getByRole('textbox', { name: 'Name' }).fill('rest');
    await change.getByRole('combobox', { name: 'Undo', exact: true }).selectOption('by a command');
    await change.getByRole('combobox', { name: /^Undo command/ }).fill('lab.succeed');
    await change.getByRole('button', { name: 'Apply' }).focus();
    await page.keyboard.press('Enter');
    await nodeOf(page, 'rest').waitFor();
    expect((await flowOf(page)).steps[1]).toEqual({
      name: 'rest',
      normal: lab('succeed'),
      rollback: lab('succeed'),
    });
    expect(await stage.visitor.violations()).toEqual([]);
    await tools.getByRole('button', { name: 'Remove' }).focus();
    await page.keyboard.press('Enter');
    await nodeOf(page, 'rest').waitFor({ state: 'detached' });
    const after = 'document.activeElement?.textContent === "Add a step"';
    await untilTrue(page, after);
    // One undo of the text takes back the removal, and nothing else.
    await boxOf(page).focus();
    await page.keyboard.press('Control+z');
    await nodeOf(page, 'rest').waitFor();
    for (let n = 0; n < 2; n += 1) {
      await tools.getByRole('button', { name: 'Take back' }).click();
    }
    await nodeOf(page, 'rest').waitFor({ state: 'detached' });
    expect(await textOf(page)).toBe(CHAIN);
    stage.expectPeace();
  });

  trial.it('keeps the needs of a graph right, and leads to the text for the rest', async () => {
    const page = await begin(GRAPH);
    await nodeOf(page, 'b').click();
    const tools = toolsOf(page);
    await tools.getByRole('button', { name: 'Add a step after b' }).click();
    const form = tools.getByRole('form', { name: 'Add a step after b' });
    await form.getByRole('combobox', { name: /^Command/ }).fill('lab.succeed');
    await form.getByRole('button', { name: 'Add a step' }).click();
    await nodeOf(page, 'succeed').waitFor();
    await nodeOf(page, 'c').click();
    const change = tools.getByRole('form', { name: 'Step c' });
    await change.getByRole('checkbox', { name: 'succeed' }).check();
    await change.getByRole('button', { name: 'Apply' }).click();
    await tools.getByText('c was changed.').waitFor();
    expect((await flowOf(page)).steps).toMatchObject([
      { name: 'a' },
      { name: 'b' },
      { name: 'succeed', needs: ['b'] },
      { name: 'c', needs: ['b', 'succeed'] },
      { name: 'all' },
    ]);
    await nodeOf(page, 'b').click();
    await tools.getByRole('button', { name: 'Add a step after b' }).waitFor();
    await tools.getByRole('button', { name: 'Remove' }).click();
    await nodeOf(page, 'b').waitFor({ state: 'detached' });
    expect((await flowOf(page)).steps).toMatchObject([
      { name: 'a' },
      { name: 'succeed', needs: ['a'] },
      { name: 'c', needs: ['a', 'succeed'] },
      { name: 'all', needs: ['a'] },
    ]);
    expect(await textOf(page)).toContain('// In turn.');
    await nodeOf(page, 'all').click();
    await tools.getByText('What a step with foreach does is written in the text.').waitFor();
    await nodeOf(page, 'inner').click();
    await tools.getByRole('button', { name: 'Add a step after inner' }).waitFor();
    await tools.getByRole('button', { name: 'Remove' }).click();
    await tools.getByText('It is the only step of its list').waitFor();
    await tools.getByRole('button', { name: 'Show in the text' }).click();
    await page.keyboard.insertText('here');
    await page
      .locator('.cm-line')
      .filter({ hasText: 'here' })
      .filter({ hasText: 'inner' })
      .waitFor();
    stage.expectPeace();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [360, 1_280]) {
      trial.it(`is for everybody, ${theme} and ${width} wide`, async () => {
        const page = await begin(GRAPH, { theme, width });
        await nodeOf(page, 'c').click();
        const tools = toolsOf(page);
        await tools.getByRole('checkbox', { name: 'all' }).waitFor();
        expect(await stage.visitor.violations()).toEqual([]);
        await tools.getByRole('button', { name: 'Add a step after c' }).click();
        const form = tools.getByRole('form', { name: 'Add a step after c' });
        await form.getByRole('combobox', { name: /^Command/ }).fill('lab.fail');
        await form.getByRole('group', { name: 'Parameters' }).waitFor();
        expect(await stage.visitor.violations()).toEqual([]);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(wide).toBe(width);
        const folder = process.env['SHOTS'];
        if (folder)
          await page.screenshot({ path: `${folder}/${theme}-${width}.png`, fullPage: true });
        stage.expectPeace();
      });
    }
  }
});
