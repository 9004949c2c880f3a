import { expect, jest } from '@jest/globals';
import { ConsoleStage, describeInBrowser } from '../browser/index.js';
import { PRACTICE_FLOWS } from '../load/index.js';

jest.setTimeout(240_000);

/** A moment that is on two days and in two months. */
const MOMENT = '2096-01-31T23:30:00Z';

/** The same moment where its readers are; none of them is where the server is. */
const ZONES = [
  { zone: 'Asia/Kolkata', written: '1 Feb 2096, 05:00:00', named: 'GMT+5:30' },
  { zone: 'America/New_York', written: '31 Jan 2096, 18:30:00', named: 'GMT-5' },
] as const;

describeInBrowser('the time of the reader', () => {
  const stage = new ConsoleStage({ name: 'console-zones', flows: PRACTICE_FLOWS });
  const { trial } = stage;
  stage.prepare();

  for (const { named, written, zone } of ZONES) {
    trial.it(`is that of ${zone} in every list`, async () => {
      const path = '/v1/schedules/zones-once';
      const body = { flow: 'lab-succeed', at: MOMENT };
      expect([200, 201]).toContain((await stage.api.ask({ method: 'PUT', path, body })).status);
      const page = await stage.come('/schedules', { zone });
      const row = page.getByRole('row').filter({ hasText: 'zones-once' });
      const time = row.locator(`time[datetime="${MOMENT.replace('Z', '.000Z')}"]`);
      expect(await time.textContent()).toContain(`${written} ${named} (`);
      expect(await time.getAttribute('title')).toBe(`${written}.000 ${named}`);
      stage.expectPeace();
    });

    trial.it(`is that of ${zone} where a chart has times`, async () => {
      await stage.api.run('lab-succeed');
      const page = await stage.come('/', { zone });
      // Of today, which may have another time of the year than the moment above.
      const at = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' });
      const today = at.formatToParts().find(({ type }) => type === 'timeZoneName')?.value;
      await page.locator('.chart-zone').getByText(`Times are ${today}.`).waitFor();
      stage.expectPeace();
    });

    trial.it(`is that of ${zone} on the page of a task`, async () => {
      const { taskId } = await stage.api.run('lab-succeed');
      const { timeCreate } = await stage.api.get<{ timeCreate: number }>(`/v1/tasks/${taskId}`);
      const parts = { timeZone: zone, hour12: false } as const;
      const at = new Date(timeCreate * 1_000);
      const clock = new Intl.DateTimeFormat('en-GB', { ...parts, timeStyle: 'medium' }).format(at);
      const day = new Intl.DateTimeFormat('en-GB', { ...parts, dateStyle: 'full' }).format(at);
      const page = await stage.come(`/tasks/${taskId}`, { zone });
      await stage.visitor.seesNode('third, succeeded');
      const created = page.locator('time').first();
      expect(await created.textContent()).toContain(clock);
      const timeline = page.getByRole('list', { name: 'Timeline' });
      // Versions of the names of days differ by a comma.
      const heading = new RegExp(day.replace(/,? /, ',? '));
      await timeline.getByRole('heading', { name: heading }).waitFor();
      const first = timeline.getByRole('listitem').last();
      expect(await first.locator('time').first().textContent()).toContain(clock);
      stage.expectPeace();
    });
  }

  trial.it('is that of the server where the clock of the browser is wrong', async () => {
    const { taskId } = await stage.api.run('lab-succeed');
    const { page } = await stage.invite();
    await page.addInitScript(() => {
      const told = Date.now;
      Date.now = () => told() - 3_600_000;
    });
    await stage.visitor.visit(`/tasks/${taskId}`);
    const created = page.locator('time').first();
    await created.getByText(/\((just now|\d+ \w+ ago)\)/).waitFor();
    expect(await created.textContent()).not.toContain(' h');
    stage.expectPeace();
  });
});
