import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { untilTask } from '../ledger/index.js';
import { Api, PRACTICE_FLOWS } from '../load/index.js';
import {
  askedRules,
  dashboards,
  findPromtool,
  namedMetrics,
  scrapedNames,
} from '../monitoring/index.js';
import { planStandalone, REPOSITORY } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(120_000);

const run = promisify(execFile);
const promtool = findPromtool();
const isCi = process.env['CI'] === 'true';
const WHY = 'promtool is not installed; .ci/install-servers does it';

const SUCCEED = { module: 'lab', command: 'succeed' };
const FLOWS = {
  ...PRACTICE_FLOWS,
  'seen-children': {
    locks: [{ name: 'seen', slots: 1 }],
    steps: [
      { name: 'all', foreach: { in: '{% [1, 2] %}', as: 'n', steps: [{ normal: SUCCEED }] } },
      { name: 'once', needs: ['all'], normal: SUCCEED },
    ],
  },
};

describe('what is shipped for Prometheus and Grafana', () => {
  const trial = new Trial('monitoring');
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const flows = await writeFlows(folder, FLOWS);
      const settings = { flows, retention: '30d', auditRetention: '365d', ...WAITS.outlastFaults };
      const backstep = await planStandalone({ folder, settings });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  async function scrape(): Promise<string> {
    return (await api.ask<string>({ path: '/metrics' })).body;
  }

  trial.it('names no metric that a process does not have', async () => {
    const known = scrapedNames(await scrape());
    const text = readFileSync(path.join(REPOSITORY, 'docs/operations.md'), 'utf8');
    const named = namedMetrics({ path: 'docs/operations.md', text });
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  trial.it('leaves out of the list of metrics none that a process has', async () => {
    const text = readFileSync(path.join(REPOSITORY, 'docs/operations.md'), 'utf8');
    const own = [...(await scrape()).matchAll(/^# TYPE (backstep_\S+) /gm)].map(([, name]) => name);
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
  });

  trial.it('is counted: children, locks, attempts, messages and how long they waited', async () => {
    const { taskId } = await api.run('seen-children');
    expect((await untilTask(api, taskId)).status).toBe('succeeded');
    const lines = (await scrape()).split('\n');
    const valueOf = (series: string): number => {
      const found = lines.find((line) => line.startsWith(`${series} `));
      return Number(found?.slice(series.length));
    };
    expect(valueOf('backstep_child_tasks_started_total{flow="seen-children"}')).toBe(2);
    expect(valueOf('backstep_lock_requests_total{flow="seen-children"}')).toBe(1);
    expect(valueOf('backstep_lock_wait_seconds_count{flow="seen-children"}')).toBe(1);
    const action = 'flow="seen-children",module="lab",command="succeed",direction="normal"';
    expect(valueOf(`backstep_attempts_started_total{${action}}`)).toBe(3);
    const claimed = valueOf('backstep_deliveries_total{module="lab",outcome="claimed"}');
    expect(valueOf('backstep_scheduled_to_start_seconds_count{module="lab"}')).toBe(claimed);
    expect(valueOf('backstep_slots{module="lab",state="free"}')).toBe(64);
    expect(valueOf('backstep_lock_tickets{state="waiting"}')).toBe(0);
  });
});

if (promtool === undefined && !isCi) {
  describe.skip(`rules and dashboards (skipped: ${WHY})`, () => it('are tested', () => undefined));
} else {
  describe('what the dashboards ask Prometheus for', () => {
    const trial = new Trial('dashboards');

    beforeAll(() => trial.open());
    afterAll(() => trial.close());

    trial.it('are expressions that it understands, every one', async () => {
      if (promtool === undefined) throw new Error(WHY);
      const file = path.join(trial.folder, 'dashboards.json');
      writeFileSync(file, askedRules());
      const count = dashboards().flatMap(({ expressions }) => expressions).length;
      const { stdout } = await run(promtool, ['check', 'rules', file]);
      expect(stdout).toContain(`SUCCESS: ${count} rules found`);
      writeFileSync(file, askedRules().replace('sum by (', 'sum by by ('));
      await expect(run(promtool, ['check', 'rules', file])).rejects.toThrow('could not parse');
    });
  });

  describe('the alert rules', () => {
    const folder = path.join(REPOSITORY, 'monitoring');

    it.each([
      ['are well formed', ['check', 'rules', 'rules.yml']],
      ['fire when they should and not before', ['test', 'rules', 'rules.test.yml']],
    ])('%s', async (_rule, argv) => {
      if (promtool === undefined) throw new Error(WHY);
      const { stdout } = await run(promtool, argv, { cwd: folder });
      expect(stdout).toContain('SUCCESS');
    });
  });
}
