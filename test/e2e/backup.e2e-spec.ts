import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { judge, untilAllEnded } from '../ledger/index.js';
import { Api, Load, type Order } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { KILL_FLOWS, someKillOrder } from '../storm/index.js';
import { playsAll } from '../trial/plays-all.js';
import { Trial, WAITS, writeFlows, writeHosts } from '../trial/index.js';

const COPIES = playsAll() ? 20 : 2;
const PER_SECOND = 40;
/** A backlog on a machine on which much else happens says nothing about a copy. */
const LIVE_MAX = 100;
const WITHIN_MS = 180_000;

jest.setTimeout(playsAll() ? 1_800_000 : 480_000);

/** A copy, and the tasks that were accepted before its command began. */
interface Copy {
  readonly folder: string;
  readonly before: readonly string[];
}

/** The load that a copy was taken under, and how its process was started. */
interface Origin {
  readonly orders: readonly Order[];
  readonly settings: Readonly<Record<string, string>>;
  readonly trial: Trial;
}

/** Starts another process on a copy, and returns the faults once all of its tasks have ended. */
async function faultsIn(
  { folder, before }: Copy,
  { orders, settings, trial }: Origin,
): Promise<readonly string[]> {
  // Nothing but the folder is named.
  const own = { ...settings, store: '', data: folder };
  const home = `${folder}-process`;
  await mkdir(home);
  const other = await planStandalone({ folder: home, settings: own });
  trial.use({ stop: () => other.kill() });
  await other.start();
  const { url } = other;
  const api = new Api(url);
  await untilAllEnded(api, { withinMs: WITHIN_MS });
  const there = new Set((await api.list()).map(({ taskId }) => taskId));
  const lost = before.filter((taskId) => !there.has(taskId));
  const kept = orders.filter(({ taskId = '' }) => there.has(taskId));
  const traces = { url, hostsUrl: url, effectsUrl: url, data: folder };
  const { stuck, wrong } = await judge(kept, traces);
  await other.kill();
  return [...lost, ...stuck, ...wrong];
}

describe('a backup', () => {
  const trial = new Trial('backup');
  let backstep: AppProcess;
  let settings: Readonly<Record<string, string>>;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      settings = {
        resourceHosts: await writeHosts(trial.folder),
        flows: await writeFlows(trial.folder, KILL_FLOWS),
        ...WAITS.followSoon,
      };
      backstep = await planStandalone({ folder: trial.folder, settings });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
    }),
  );
  afterAll(() => trial.close());

  function backup(folder: string, ...more: readonly string[]): Promise<CliEnd> {
    const argv = ['backup', folder, '-o', 'json', ...more];
    return new CliChild(argv, { cwd: trial.folder }).end;
  }

  const here = (...more: readonly string[]): readonly string[] => ['--url', backstep.url, ...more];

  async function takeUnder(load: Load, n: number): Promise<Copy> {
    const folder = path.join(trial.folder, `copy-${n}`);
    const before = load.orders.flatMap(({ taskId }) => (taskId === undefined ? [] : [taskId]));
    const { code, stderr, stdout } = await backup(folder, ...here());
    expect([code, stderr]).toEqual([0, expect.stringContaining('All pages were checked.')]);
    const told = JSON.parse(stdout) as { readonly folder: string; readonly tasks: number };
    expect(told.folder).toBe(folder);
    expect(told.tasks).toBeGreaterThanOrEqual(before.length);
    return { folder, before };
  }

  trial.it('that is taken under load goes on elsewhere, with all that was accepted', async () => {
    const { random } = trial;
    const load = new Load({
      name: 'backup',
      urls: [backstep.url],
      perSecond: PER_SECOND,
      random,
      next: someKillOrder,
      liveMax: LIVE_MAX,
    });
    const copies: Copy[] = [];
    for (let n = 0; n < COPIES; n += 1) {
      await load.run(1 + random.next());
      copies.push(await takeUnder(load, n));
    }
    const orders = await load.finish();
    for (const taken of copies) {
      expect(taken.before.length).toBeGreaterThan(10);
      expect(await faultsIn(taken, { orders, settings, trial })).toEqual([]);
    }
    // The process itself has lost nothing by it.
    await untilAllEnded(new Api(backstep.url), { withinMs: WITHIN_MS });
    const data = path.join(trial.folder, 'data');
    const { url } = backstep;
    const traces = { url, hostsUrl: url, effectsUrl: url, data };
    expect(await judge(orders, traces)).toEqual({ lost: [], stuck: [], wrong: [] });
    expect(await readdir(data)).not.toContain('backup.part');
  });

  trial.it('is for its own user alone, and does not go over what is there', async () => {
    const folder = path.join(trial.folder, 'taken');
    await mkdir(folder);
    await writeFile(`${folder}.part`, 'mine');
    expect(await backup(folder, ...here())).toMatchObject({ code: 0 });
    expect(await readFile(`${folder}.part`, 'utf8')).toBe('mine');
    const beside = (await readdir(trial.folder)).filter((name) => name.startsWith('taken'));
    expect(beside.toSorted()).toEqual(['taken', 'taken.part']);
    const names = await readdir(folder);
    // Neither logs, which a start could mix up, nor the token of the machine.
    const files = ['backstep.db', 'instances', 'lab.db', 'monitor.db', 'mysql.db', 'resource.db'];
    expect(names.toSorted()).toEqual(files);
    for (const name of ['.', ...names]) {
      expect([name, (await stat(path.join(folder, name))).mode & 0o077]).toEqual([name, 0]);
    }
    expect(await backup(folder, ...here())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not empty'),
    });
    const file = path.join(trial.folder, 'file');
    await writeFile(file, 'mine');
    expect(await backup(file, ...here())).toMatchObject({ code: 2 });
    // Where no folder can be made, some tries would never end.
    expect(await backup('/proc/none', ...here())).toMatchObject({ code: 2 });
  });

  trial.it(
    'is taken of a store whose process has stopped, and not past one that runs',
    async () => {
      const data = path.join(trial.folder, 'data');
      const argv = ['backup', path.join(trial.folder, 'stopped')];
      // Nobody listens at the usual address that this one names.
      const env = { BACKSTEP_DATA: data, BACKSTEP_HTTP: '127.0.0.1:9' };
      const run = (): Promise<CliEnd> => new CliChild(argv, { cwd: trial.folder, env }).end;
      const count = (await new Api(backstep.url).list()).length;
      expect(await run()).toMatchObject({ code: 4, stderr: expect.stringContaining('--url') });
      // As a crash leaves it: the latest writes are in the log alone.
      await backstep.kill();
      const { code, stderr } = await run();
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${count} tasks`)]);
      const found = await faultsIn(
        { folder: path.join(trial.folder, 'stopped'), before: [] },
        { orders: [], settings, trial },
      );
      expect(found.filter((fault) => !fault.endsWith('by nobody'))).toEqual([]);
    },
  );
});
