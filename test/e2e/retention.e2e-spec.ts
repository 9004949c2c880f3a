import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { isAt, untilTask } from '../ledger/index.js';
import { Api, effectsOf } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import {
  type Deployment,
  type DeploymentKind,
  DEPLOYMENTS,
  startDeployment,
} from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const lab = (command: string, parameters: object = {}) => {
  return { normal: { module: 'lab', command, parameters } };
};

const FLOWS = {
  quick: { steps: [{ name: 'a', ...lab('effect', { name: 'a' }) }] },
  /** Has an effect, and goes back only when it is told to. */
  held: {
    steps: [
      {
        name: 'a',
        ...lab('effect', { name: 'a' }),
        rollback: { module: 'lab', command: 'undo_effect' },
      },
      { name: 'wait', ...lab('later', { timeout: '10m' }) },
    ],
  },
  /** Has a child task that ends at once, and lives until it is told to end. */
  parent: {
    steps: [
      { name: 'child', flow: { name: 'quick' } },
      { name: 'wait', ...lab('later', { timeout: '10m' }) },
    ],
  },
};

interface Batch {
  readonly results: readonly { readonly taskId: string }[];
}

interface Line {
  readonly task: { readonly plan: { readonly taskId: string } };
}

/** A Backstep that keeps final tasks for a few seconds. */
class Site {
  readonly trial: Trial;
  backstep!: Deployment;
  api!: Api;

  constructor(private readonly kind: DeploymentKind) {
    this.trial = new Trial(`retention-${kind}`);
  }

  get archive(): string {
    return path.join(this.trial.folder, 'archive');
  }

  async open(): Promise<void> {
    await this.trial.open();
    const { archive, kind, trial } = this;
    const { folder } = trial;
    const flows = await writeFlows(folder, FLOWS);
    const settings = { flows, retention: '4s', archive, ...WAITS.followSoon };
    this.backstep = trial.use(await startDeployment(kind, { folder, settings }));
    this.api = new Api(this.backstep.url);
  }

  async isThere(taskId: string): Promise<boolean> {
    return (await this.api.ask({ path: `/v1/tasks/${taskId}` })).status === 200;
  }

  untilGone(taskId: string): Promise<void> {
    return until(`task ${taskId} is removed`, async () => !(await this.isThere(taskId)));
  }

  /** Ids of all tasks of the archive. */
  async archived(): Promise<readonly string[]> {
    const manifest = path.join(this.archive, 'manifest.jsonl');
    const text = await readFile(manifest, 'utf8').catch(() => '');
    const entries = text.split('\n').filter((line) => line.endsWith('}'));
    const files = entries.map((line) => (JSON.parse(line) as { file: string }).file);
    const read = (file: string): Promise<Buffer> => readFile(path.join(this.archive, file));
    return (await Promise.all(files.map(read))).flatMap((content) => {
      const lines = gunzipSync(content).toString('utf8').trimEnd().split('\n');
      return lines.map((line) => (JSON.parse(line) as Line).task.plan.taskId);
    });
  }

  cli(...argv: readonly string[]): Promise<CliEnd> {
    const place = { cwd: this.trial.folder };
    return new CliChild([...argv, '--url', this.backstep.url], place).end;
  }
}

function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const probe = async (): Promise<void> => {
    if (!(await holds())) throw new Error(`not so far: ${what}`);
  };
  return waitUntil(probe, { what, deadlineMs: 60_000 });
}

/** How many marks the barriers of a process have forgotten. */
async function forgottenBy(api: Api): Promise<number> {
  const { body } = await api.ask<string>({ path: '/metrics' });
  return Number(/^backstep_forgotten_marks (\d+)$/m.exec(body)?.[1] ?? Number.NaN);
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`retention in a ${kind} Backstep`, { servers, own: true }, () => {
    const site = new Site(kind);

    beforeAll(site.trial.guard(() => site.open()));
    afterAll(() => site.trial.close());

    site.trial.it('removes what has ended, archives it first, and frees its key', async () => {
      const body = { flow: 'quick', idempotencyKey: 'once' };
      const { taskId } = (await site.api.ask<{ taskId: string }>({ path: '/v1/tasks', body })).body;
      await untilTask(site.api, taskId);
      await site.untilGone(taskId);
      expect(await site.archived()).toContain(taskId);
      const again = await site.api.ask<{ taskId: string }>({ path: '/v1/tasks', body });
      expect(again.status).toBe(201);
      expect(again.body.taskId).not.toBe(taskId);
    });

    site.trial.it('keeps a child task while its parent is there', async () => {
      const { taskId } = await site.api.run('parent', {}, '0');
      const early = await site.api.run('quick');
      const children = `/v1/tasks?parent=${taskId}`;
      const list = (): Promise<{ items: readonly { taskId: string; status: string }[] }> =>
        site.api.get(children);
      await until('the child ends', async () => (await list()).items[0]?.status === 'succeeded');
      const child = (await list()).items[0]!.taskId;
      const later = await site.api.run('quick');
      await site.untilGone(early.taskId);
      await site.untilGone(later.taskId);
      expect(await site.isThere(child)).toBe(true);
      await site.api.ask({ path: `/v1/tasks/${taskId}:terminate`, body: { reason: 'no more' } });
      await site.untilGone(taskId);
      await site.untilGone(child);
    });

    site.trial.it(
      'has barriers forget what was removed, and nothing of a task that lives',
      async () => {
        const { taskId } = await site.api.run('held', {}, '0');
        await untilTask(site.api, taskId, isAt('wait'));
        const lab = new Api(site.backstep.processOf('lab').url);
        const before = await forgottenBy(lab);
        const later = await site.api.run('quick');
        await site.untilGone(later.taskId);
        // The marks of the task that lives are older than these.
        await until('marks are forgotten', async () => (await forgottenBy(lab)) > before);
        await site.api.ask({ path: `/v1/tasks/${taskId}:rollback`, body: { reason: 'enough' } });
        await untilTask(site.api, taskId);
        const effects = await effectsOf(new Api(site.backstep.effectsUrl), taskId);
        expect(effects).toMatchObject([{ step: 'a', applied: 1, undone: 1 }]);
      },
    );

    site.trial.it('loses nothing when it is killed while it archives and removes', async () => {
      const orders = Array.from({ length: 300 }, () => ({ flow: 'quick' }));
      const body = { tasks: orders };
      const { results } = (await site.api.ask<Batch>({ path: '/v1/tasks:batch', body })).body;
      const ids = new Set(results.map(({ taskId }) => taskId));
      expect(ids.size).toBe(300);
      const rest = async (): Promise<number> => {
        const there = await site.api.list();
        const known = new Set(there.map(({ taskId }) => taskId));
        // Read behind the list: what is removed in between has been archived before.
        for (const taskId of await site.archived()) known.add(taskId);
        expect([...ids].filter((taskId) => !known.has(taskId))).toEqual([]);
        return there.filter(({ taskId }) => ids.has(taskId)).length;
      };
      for (let kills = 0; kills < 3; kills += 1) {
        await until('something is removed, or all is', async () => (await rest()) < 300);
        await site.backstep.processOf('oss').restart();
      }
      await until('all are removed', async () => (await rest()) === 0);
    });

    site.trial.it('keeps what it cannot archive', async () => {
      await rm(site.archive, { recursive: true, force: true });
      await writeFile(site.archive, 'a file is in the way');
      const { taskId } = await site.api.run('quick');
      await until('the failure is noticed', async () => {
        const { body } = await site.api.ask<string>({ path: '/metrics' });
        return /retention_failed/.test(body);
      });
      expect(await site.isThere(taskId)).toBe(true);
      await rm(site.archive);
      await site.untilGone(taskId);
    });

    site.trial.it(
      'takes archived tasks back, and keeps them as if they had just ended',
      async () => {
        const task = await site.api.run('quick');
        const { taskId } = task;
        const shown = await site.api.get(`/v1/tasks/${taskId}`);
        await site.untilGone(taskId);
        const { code, stdout } = await site.cli('archive', 'import', site.archive, '-o', 'jsonl');
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ refused: 0 });
        expect(await site.api.get(`/v1/tasks/${taskId}`)).toEqual(shown);
        const out = path.join(site.trial.folder, 'out');
        expect((await site.cli('archive', 'export', '--out', out)).code).toBe(0);
        await site.untilGone(taskId);
      },
    );
  });
});
