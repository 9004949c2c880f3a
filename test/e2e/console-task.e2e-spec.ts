import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { untilTask } from '../ledger/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';
import { SECRET_KEY } from '../stack/index.js';

jest.setTimeout(240_000);

/** More than a page shows of a value at once. */
const LARGE = 30_000;
const SECRET = 'nobody-may-read-this';

/** A word that no line has room for. */
const WORD = 'w'.repeat(400);

/** Parts of the panels of a page that reach beyond them, below the graph. */
const OUT_OF_PANEL = `[...document.querySelectorAll('.panel:not(.graph-panel)')].flatMap((panel) => {
  const { right } = panel.getBoundingClientRect();
  const parts = [...panel.querySelectorAll('td, tbody th, p, dd, li')];
  return parts.filter((part) => part.getBoundingClientRect().right > right + 1)
    .map((part) => part.outerHTML.slice(0, 120));
})`;

const FLOWS = {
  ...PRACTICE_FLOWS,
  'page-called': {
    input: { type: 'object', properties: { name: { type: 'string' } } },
    steps: [
      {
        name: 'make',
        normal: { module: 'lab', command: 'effect', parameters: { name: "{% name & '-made' %}" } },
        rollback: {
          module: 'lab',
          command: 'undo_effect',
          parameters: { name: "{% name & '-back' %}" },
        },
      },
      { name: 'large', normal: { module: 'lab', command: 'output', parameters: { bytes: LARGE } } },
      {
        name: 'flaky',
        normal: {
          module: 'lab',
          command: 'flaky',
          retry: { attempts: 2, delay: '10ms' },
          parameters: { failures: 1 },
        },
      },
      {
        name: 'end',
        normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal', message: WORD } },
      },
    ],
  },
  'page-written': {
    input: {
      type: 'object',
      properties: { cpu: { type: 'integer' }, password: { type: 'string', secret: true } },
    },
    constants: { region: 'eu', cpu: 1 },
    onFailure: 'hold',
    steps: [
      {
        name: 'make',
        normal: { module: 'lab', command: 'succeed', parameters: { output: { cpu: 8 } } },
      },
      {
        name: 'take',
        normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } },
      },
    ],
  },
  // Its way back is seen.
  'page-slow': [
    {
      normal: { module: 'lab', command: 'succeed' },
      rollback: { module: 'lab', command: 'sleep', parameters: { ms: 2_000 } },
    },
  ],
  'page-fleet': {
    input: { type: 'object', properties: { bad: { type: 'integer' } } },
    onFailure: 'hold',
    steps: [
      {
        name: 'each',
        foreach: {
          in: [1, 2, 3],
          as: 'host',
          steps: [
            { name: 'make', normal: { module: 'lab', command: 'succeed' } },
            { name: 'check', if: '{% host = bad %}', fail: { code: 'BAD', message: 'is bad' } },
          ],
        },
      },
    ],
  },
};

describeInBrowser('the page of a task', () => {
  const stage = new ConsoleStage({
    name: 'console-task',
    flows: FLOWS,
    settings: { secretKey: SECRET_KEY },
  });
  const { trial } = stage;
  stage.prepare();

  trial.it('says who wrote each parameter, when, and what it was before', async () => {
    const { taskId } = await stage.api.run('page-written', { cpu: 4, password: SECRET });
    const headers = { 'x-backstep-actor': 'ann' };
    const body = { reason: 'more', parameters: { cpu: 16 } };
    await stage.api.ask({ path: `/v1/tasks/${taskId}:retry`, body, headers });
    const page = await stage.come(`/tasks/${taskId}`);
    const table = page.getByRole('table', { name: 'As they stand now' });
    await table
      .getByRole('row', { name: /^region "eu" a constant of the flow .*20\d\d/ })
      .waitFor();
    await table.getByRole('row', { name: /^password "\*\*\*" the request/ }).waitFor();
    const row = table.getByRole('row', { name: /^cpu 16 .*ann / });
    await row.getByText('3 earlier values').click();
    const earlier = row.getByRole('listitem');
    expect((await earlier.allTextContents()).map((text) => text.split(' · ').slice(0, 2))).toEqual([
      ['8', 'step make'],
      ['4', 'the request'],
      ['1', 'a constant of the flow'],
    ]);
    await row.getByRole('button', { name: 'make' }).click();
    await page.getByRole('heading', { name: 'Step: make' }).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('says what a command was called with, beside what was written', async () => {
    const { taskId } = await stage.api.run('page-called', { name: 'x' });
    const page = await stage.come(`/tasks/${taskId}`);
    await stage.visitor.seesNode('make, succeeded, undo succeeded');
    await page.getByRole('button', { name: 'make, succeeded, undo succeeded' }).click();
    const details = page.getByRole('region', { name: 'Step: make' });
    const called = details.getByRole('group', { name: 'Parameters: Called with' });
    await called.first().waitFor();
    expect(await called.allTextContents()).toEqual([
      '{\n  "name": "x-made"\n}',
      '{\n  "name": "x-back"\n}',
    ]);
    const written = details.getByRole('group', { name: 'Parameters: As written' });
    expect(await written.first().textContent()).toContain("{% name & '-made' %}");
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });

  trial.it('goes on when a person acts while the page still looks at the end', async () => {
    const { taskId } = await stage.api.run('page-slow');
    const { page } = await stage.invite();
    const acts = new EventEmitter();
    const [acted, asked, held] = ['act', 'ask', 'hold'].map((name) => once(acts, name));
    await page.route(`**/v1/tasks/${taskId}`, async (route) => {
      const response = await route.fetch();
      // The answer was given before, and comes after the person has acted.
      if (response.status() === 304 && acts.emit('hold')) await acted;
      await route.fulfill({ response });
      acts.emit('ask');
    });
    // All events at once: the look at the end comes before that at what they tell.
    await page.route(`**/v1/tasks/${taskId}/events`, async (route) => {
      const response = await route.fetch();
      await asked;
      await route.fulfill({ response });
    });
    await stage.visitor.visit(`/tasks/${taskId}`);
    await held;
    await page.getByRole('button', { name: 'Undo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('enough');
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.waitFor({ state: 'detached' });
    acts.emit('act');
    await page.getByRole('status').filter({ hasText: 'page-slow: Rolled back' }).waitFor();
    stage.expectPeace();
  });

  trial.it('lists the attempts of a step with where they ran and how they ended', async () => {
    const { taskId } = await stage.api.run('page-called', { name: 'x' });
    const page = await stage.come(`/tasks/${taskId}`);
    await page.getByRole('button', { name: 'flaky, succeeded', exact: true }).click();
    const table = page.getByRole('table', { name: 'Attempts', exact: true });
    const at = String.raw`\d+ \w+ 20\d\d, \d\d:\d\d:\d\d .*\d\d:\d\d:\d\d`;
    const first = new RegExp(`^1 failed ${at} standalone-\\w+$`);
    await table.getByRole('row', { name: first }).waitFor();
    await table.getByRole('row', { name: /^told to fail: attempt 1 of 1/ }).waitFor();
    const second = new RegExp(`^2 succeeded ${at} standalone-\\w+$`);
    await table.getByRole('row', { name: second }).waitFor();
    expect(await table.getByRole('row').count()).toBe(4);
    await page.getByRole('button', { name: 'end, failed', exact: true }).click();
    await table.getByRole('row', { name: /^w+/ }).waitFor();
    for (const width of [1_440, 1_024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(OUT_OF_PANEL)]).toEqual([width, []]);
    }
    stage.expectPeace();
  });

  trial.it('shows all of a long value, and hands it over as a file', async () => {
    const { taskId } = await stage.api.run('page-called', { name: 'x' });
    const page = await stage.come(`/tasks/${taskId}`);
    await page.getByRole('button', { name: 'large, succeeded', exact: true }).click();
    const details = page.getByRole('region', { name: 'Step: large' });
    const output = details.getByRole('group', { name: 'Output' });
    expect((await output.textContent())?.length).toBeLessThan(LARGE);
    const saving = page.waitForEvent('download');
    await details.getByRole('button', { name: 'Download' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('Output.json');
    expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toEqual({
      text: 'x'.repeat(LARGE),
    });
    await details.getByRole('button', { name: /^Show all 30,0\d\d characters$/ }).click();
    expect(JSON.parse((await output.textContent()) ?? '')).toEqual({ text: 'x'.repeat(LARGE) });
    stage.expectPeace();
  });

  trial.it('lets a person say which child tasks a retry begins anew', async () => {
    const { taskId } = await stage.api.run('page-fleet', { bad: 2 });
    const page = await stage.come(`/tasks/${taskId}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry' });
    const choice = dialog.getByRole('combobox', { name: 'Child tasks' });
    expect(await choice.inputValue()).toBe('failed');
    await choice.selectOption('all');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('from the start');
    await dialog.getByRole('textbox', { name: /^Changed/ }).fill('{"bad": 9}');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { status, steps } = await untilTask(stage.api, taskId);
    expect(status).toBe('succeeded');
    expect(steps[0]).toMatchObject({ id: 'each~2', children: { total: 3, succeeded: 3 } });
    stage.expectPeace();
  });

  trial.it('tells when each thing happened, and how long each step took', async () => {
    const { taskId } = await stage.api.run('page-called', { name: 'x' });
    const page = await stage.come(`/tasks/${taskId}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const { length } = await stage.api.events(taskId);
    await timeline
      .getByRole('listitem')
      .nth(length - 1)
      .waitFor();
    expect(await timeline.getByRole('heading').allTextContents()).toEqual([
      expect.stringMatching(/^\w+day,? \d+ \w+ 20\d\d, \S+$/),
    ]);
    const foot = /^\d\d:\d\d:\d\d\.\d{3} · (just now|\d+ (s|min) ago)/;
    expect(
      await timeline.getByRole('listitem').first().locator('.entry-foot').textContent(),
    ).toMatch(foot);
    const table = page.getByRole('table', { name: 'How long each step took' });
    await table.getByRole('row', { name: /^make undo \+\d+ m?s \d+ m?s Succeeded$/ }).waitFor();
    const names = await table.getByRole('rowheader').allTextContents();
    expect(names.map((name) => name.trim())).toEqual([
      'make',
      'large',
      'flaky',
      'end',
      'make undo',
    ]);
    expect(await table.locator('rect').count()).toBe(names.length);
    await table.getByRole('button', { name: 'large' }).click();
    await page.getByRole('heading', { name: 'Step: large' }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the history' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe(`${taskId}.jsonl`);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await stage.api.events(taskId));
    expect(await stage.visitor.violations()).toEqual([]);
    stage.expectPeace();
  });
});
