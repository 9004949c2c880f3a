import { expect, jest } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { ConsoleStage, describeInBrowser, untilTrue, type Visitor } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';
import { createKey } from '../stack/index.js';

jest.setTimeout(240_000);

const lab = (command: string, parameters?: object) => {
  return { module: 'lab', command, ...(parameters && { parameters }) };
};

/** Every kind of scope, and members that have no value. */
const SHAPES = {
  input: { type: 'object', properties: { size: { type: 'integer' } } },
  onFailure: { hold: '30m' },
  steps: [
    { name: 'begin', normal: lab('succeed'), rollback: lab('succeed') },
    { name: 'side', needs: [], group: [{ normal: lab('succeed') }, { normal: lab('succeed') }] },
    {
      name: 'pick',
      needs: ['begin', 'side'],
      choice: [{ when: '{% size > 3 %}', steps: [{ normal: lab('succeed') }] }],
      otherwise: [{ wait: { for: '1s' } }],
    },
    {
      name: 'both',
      needs: ['pick'],
      parallel: { a: [{ normal: lab('succeed') }], b: [{ set: { ok: true } }] },
      catch: [{ errors: ['*'], steps: [{ normal: lab('succeed') }] }],
    },
    { needs: ['both'], loop: { steps: [{ normal: lab('succeed') }], until: true, max: 3 } },
    { needs: ['both'], foreach: { in: [1], as: 'n', steps: [{ normal: lab('succeed') }] } },
    { name: 'asks', needs: ['loop'], approve: { title: 'sure?' } },
    { name: 'hears', needs: ['asks'], wait: { signal: 's' }, rollback: lab('succeed') },
  ],
};

const FLOWS = { ...PRACTICE_FLOWS, 'editor-shapes': SHAPES };
const ONE = { steps: [{ name: 'one', normal: lab('succeed') }] };

const boxOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Text of the flow' });

describeInBrowser('the editor of flows', () => {
  const stage = new ConsoleStage({ name: 'console-editor', flows: FLOWS });
  const { trial } = stage;
  stage.prepare();

  /** Puts a text in the place of the whole one. */
  async function write(page: Page, text: string): Promise<void> {
    await boxOf(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  }

  async function put(name: string, flow: object): Promise<void> {
    const answer = await stage.api.ask({ method: 'PUT', path: `/v1/flows/${name}`, body: flow });
    expect(answer.status).toBeLessThan(300);
  }

  async function publish(page: Page, { name, reason }: { name?: string; reason: string }) {
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog');
    if (name !== undefined) await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await dialog.getByRole('button', { name: 'Publish' }).click();
    return dialog;
  }

  const problems = (page: Page): Locator => page.getByRole('region', { name: 'Problems' });

  trial.it('writes a new flow: names are suggested, mistakes told, steps drawn', async () => {
    const page = await stage.come('/flows');
    await page.getByRole('link', { name: 'New flow' }).click();
    await write(page, '{ "steps": [{ "normal": { "module": "lab", "command": ""} }] }');
    await page.getByText('UNKNOWN_COMMAND').or(page.getByText('WRONG_NAME')).first().waitFor();
    await page.keyboard.press('Control+End');
    for (let n = 0; n < 7; n += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'succeed' }).click();
    await problems(page).getByText('Warning').first().waitFor();
    await problems(page).getByText('Errors: 0.').waitFor();
    await stage.visitor.seesNode('succeed');
    const dialog = await publish(page, { name: 'editor-new', reason: 'Zoë asked' });
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'editor-new' }).waitFor();
    const flow = await stage.api.get('/v1/flows/editor-new');
    expect(flow).toMatchObject({ version: 1, file: null, steps: [{ name: 'succeed' }] });
    const audit = await stage.api.get<{ items: object[] }>('/v1/audit?limit=20');
    const target = '/v1/flows/editor-new';
    expect(audit.items).toContainEqual(expect.objectContaining({ target, reason: 'Zoë asked' }));
    stage.expectPeace();
  });

  trial.it('leads to the place of a mistake', async () => {
    await put('editor-place', ONE);
    const page = await stage.come('/flows/editor-place/edit');
    await write(page, '{\n  "steps": [\n    { "name": "a", "norml": {} }\n  ]\n}');
    const problem = problems(page).getByRole('button', { name: /^Error, line 3: .*norml/ });
    await page.getByRole('button', { name: 'Publish', exact: true, disabled: true }).waitFor();
    await problem.first().click();
    await page.keyboard.insertText('here');
    const line = page.locator('.cm-line').filter({ hasText: 'here' });
    await line.filter({ hasText: 'norml' }).waitFor();
    stage.expectPeace();
  });

  trial.it('leads from a problem to an example of it, and the same mended', async () => {
    await put('editor-mended', ONE);
    const page = await stage.come('/flows/editor-mended/edit');
    await write(page, '{\n  "steps": [\n    { "name": "a", "norml": {} }\n  ]\n}');
    const link = problems(page).getByRole('link', { name: /mended: UNKNOWN_MEMBER/ });
    const opened = page.waitForEvent('popup');
    await link.first().click();
    const help = await opened;
    await help.locator('#UNKNOWN_MEMBER').waitFor();
    expect(new URL(help.url()).hash).toBe('#UNKNOWN_MEMBER');
    await help.close();
    stage.expectPeace();
  });

  trial.it('keeps what was typed over a reload, and shows what differs', async () => {
    await put('editor-draft', ONE);
    const page = await stage.come('/flows/editor-draft/edit');
    await write(
      page,
      JSON.stringify({ steps: [{ name: 'two', normal: lab('succeed') }] }, null, 2),
    );
    await stage.visitor.seesNode('two');
    await page.reload();
    await page.getByText('Your draft is shown').waitFor();
    await boxOf(page).getByText('"two"').waitFor();
    await page.getByRole('button', { name: 'Compare with the published version' }).click();
    await boxOf(page).getByText('"one"').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    await stage.visitor.visit('/flows');
    const list = page.getByRole('region', { name: 'Drafts in this browser' });
    await list.getByRole('link', { name: 'editor-draft' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await boxOf(page).getByText('"one"').waitFor();
    await page.getByText('Your draft is shown').waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  trial.it('opens a flow as its author wrote it', async () => {
    const words = `// Ask Zoë first.\n${JSON.stringify(ONE.steps)} // for now\n`;
    const page = await stage.come('/new-flow');
    await write(page, words);
    const dialog = await publish(page, { name: 'editor-words', reason: 'with words' });
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'editor-words' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await boxOf(page).getByText('// Ask Zoë first.').waitFor();
    await boxOf(page).getByText('// for now').waitFor();
    await stage.visitor.seesNode('one');
    await page.getByText('Your draft is shown').waitFor({ state: 'detached' });
    stage.expectPeace();
  });

  trial.it('loses nothing where somebody else was faster', async () => {
    await put('editor-race', ONE);
    const page = await stage.come('/flows/editor-race/edit');
    await write(page, JSON.stringify({ steps: [{ name: 'mine', normal: lab('succeed') }] }));
    await put('editor-race', { steps: [{ name: 'theirs', normal: lab('succeed') }] });
    const dialog = await publish(page, { reason: 'mine first' });
    await dialog.getByText('is at version 2').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await boxOf(page).getByText('"mine"').waitFor();
    await page.getByRole('button', { name: 'Go on from version 2' }).click();
    const last = await publish(page, { reason: 'mine last' });
    // The drawing of the draft shows the node, too.
    await last.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'editor-race' }).waitFor();
    await stage.visitor.seesNode('mine');
    expect(await stage.api.get('/v1/flows/editor-race')).toMatchObject({ version: 3 });
    const refused = stage.visitor.complaints.filter((text) => !text.includes('412'));
    expect(refused).toEqual([]);
  });

  trial.it(
    'leaves a flow to its file, and takes its text under another name as it is',
    async () => {
      const page = await stage.come('/flows/editor-shapes');
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByText('The file wins').waitFor();
      await stage.visitor.seesNode('hears');
      const dialog = await publish(page, { name: 'editor-copy', reason: 'a copy' });
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'editor-copy' }).waitFor();
      const [from, to] = await Promise.all(
        ['editor-shapes', 'editor-copy'].map((name) =>
          stage.api.get<Record<string, unknown>>(`/v1/flows/${name}`),
        ),
      );
      expect(from?.['file']).toMatch(/\.json/);
      const { file: _, hash, name, timeCreate, ...same } = from ?? {};
      expect([hash, name, timeCreate]).not.toContain(undefined);
      expect(to).toMatchObject(same);
      stage.expectPeace();
    },
  );

  trial.it('says what a task of the text would do, before it is stored', async () => {
    await put('editor-plan', ONE);
    const page = await stage.come('/flows/editor-plan/edit');
    const steps = [
      { name: 'first', normal: lab('succeed'), rollback: lab('succeed') },
      { name: 'big', if: '{% size > 3 %}', normal: lab('output', { bytes: '{% size %}' }) },
    ];
    await write(page, JSON.stringify({ steps }));
    await page.getByRole('textbox', { name: 'Sample parameters' }).fill('{"size": 7}');
    await page.getByRole('button', { name: 'Plan' }).click();
    const table = page.getByRole('table', { name: 'Plan' });
    await table.getByRole('row', { name: /^big lab\.output \{.*"bytes":7.*first$/ }).waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    await page.getByRole('textbox', { name: 'Sample parameters' }).fill('{"size": 1}');
    await page.getByRole('button', { name: 'Plan' }).click();
    await table.getByRole('row', { name: /^big/ }).waitFor({ state: 'detached' });
    await page
      .getByRole('textbox', { name: 'Sample parameters' })
      .fill('{"size": 9007199254740993}');
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.getByRole('alert').filter({ hasText: '9007199254740993' }).waitFor();
    expect(await stage.api.get('/v1/flows/editor-plan')).toMatchObject({ version: 1 });
    stage.expectPeace();
  });

  trial.it('is left by the keyboard, and is for everybody on a narrow screen', async () => {
    const page = await stage.come('/flows/lab-group/edit', { theme: 'dark', width: 360 });
    await boxOf(page).focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    const compare = page.getByRole('button', { name: 'Compare with the published version' });
    await untilTrue(page, 'document.activeElement?.textContent?.startsWith("Compare")');
    await compare.click();
    await problems(page).getByText('No problems.').waitFor();
    expect(await stage.visitor.violations()).toEqual([]);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBe(360);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    stage.expectPeace();
  });

  trial.it('takes a text of a hundred thousand characters', async () => {
    const steps = Array.from({ length: 900 }, (_, n) => {
      return { name: `s${n}`, normal: lab('succeed', { note: 'x'.repeat(30) }) };
    });
    const text = JSON.stringify({ input: { type: 'object' }, steps }, null, 1);
    expect(text.length).toBeGreaterThan(100_000);
    await put('editor-large', JSON.parse(text) as object);
    const page = await stage.come('/flows/editor-large/edit');
    await page.getByText('Drawn on request').waitFor();
    await boxOf(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('// the end');
    await boxOf(page).getByText('// the end').waitFor();
    const lines = await page.locator('.cm-line').count();
    expect(lines).toBeLessThan(300);
    await problems(page)
      .getByText(/Errors: 0|No problems/)
      .waitFor();
    stage.expectPeace();
  });
});

describeInBrowser('the editor of somebody who may not write flows', () => {
  let admin = '';
  const stage = new ConsoleStage({
    name: 'console-editor-viewer',
    flows: FLOWS,
    settings: { auth: 'keys' },
    before: async (folder) => {
      admin = await createKey(folder, 'ann');
    },
  });
  stage.prepare();

  stage.trial.it('offers no publishing, and takes a text to look at', async () => {
    const visitor: Visitor = await stage.invite();
    await visitor.visit('/login');
    const { page } = visitor;
    const headers = { authorization: `Bearer ${admin}` };
    const order = { path: '/v1/keys', headers, body: { name: 'vera', role: 'starter' } };
    const { key } = (await stage.api.ask<{ key: string }>(order)).body;
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Flows', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Flows' }).waitFor();
    expect(await page.getByRole('link', { name: 'New flow' }).count()).toBe(0);
    // The address is there for its holders.
    await visitor.visit('/new-flow');
    await boxOf(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify(ONE));
    await boxOf(page).getByText('"one"').waitFor();
    expect(await page.getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0);
  });
});
