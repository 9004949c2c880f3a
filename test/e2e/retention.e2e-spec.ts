import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { untilTask } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Deployment, DEPLOYMENTS, startDeployment } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const lab = (command: string, parameters: object = {}) => {
  return { normal: { module: 'lab', command, parameters } };
};

const FLOWS = {
  quick: { steps: [{ name: 'a', ...lab('effect', { name: 'a' }) }] },
  /** Has a child task that ends at once, and lives until somebody says so. */
  parent: {
    steps: [
      { name: 'child', flow: 'quick' },
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

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`retention in a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`retention-${kind}`);
    let backstep: Deployment;
    let api: Api;
    let archive: string;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        archive = path.join(folder, 'archive');
        const flows = await writeFlows(folder, FLOWS);
        const settings = { flows, retention: '4s', archive, ...WAITS.followSoon };
        backstep = trial.use(await startDeployment(kind, { folder, settings }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    async function isThere(taskId: string): Promise<boolean> {
      return (await api.ask({ path: `/v1/tasks/${taskId}` })).status === 200;
    }

    function until(what: string, holds: () => Promise<boolean>): Promise<void> {
      const probe = async (): Promise<void> => {
        if (!(await holds())) throw new Error(`not so far: ${what}`);
      };
      return waitUntil(probe, { what, deadlineMs: 60_000 });
    }

    function untilGone(taskId: string): Promise<void> {
      return until(`task ${taskId} is removed`, async () => !(await isThere(taskId)));
    }

    /** Ids of all tasks of the archive. */
    async function archived(): Promise<readonly string[]> {
      const manifest = await readFile(path.join(archive, 'manifest.jsonl'), 'utf8').catch(() => '');
      const entries = manifest.split('\n').filter((line) => line.endsWith('}'));
      const files = entries.map((line) => (JSON.parse(line) as { file: string }).file);
      const contents = await Promise.all(files.map((file) => readFile(path.join(archive, file))));
      return contents.flatMap((content) => {
        const lines = gunzipSync(content).toString('utf8').trimEnd().split('\n');
        return lines.map((line) => (JSON.parse(line) as Line).task.plan.taskId);
      });
    }

    function cli(...argv: readonly string[]): Promise<CliEnd> {
      const place = { cwd: trial.folder };
      return new CliChild([...argv, '--url', backstep.url], place).end;
    }

    trial.it('removes what has ended, archives it first, and frees its key', async () => {
      const body = { flow: 'quick', idempotencyKey: 'once' };
      const { taskId } = (await api.ask<{ taskId: string }>({ path: '/v1/tasks', body })).body;
      await untilTask(api, taskId);
      await untilGone(taskId);
      expect(await archived()).toContain(taskId);
      const again = await api.ask<{ taskId: string }>({ path: '/v1/tasks', body });
      expect(again.status).toBe(201);
      expect(again.body.taskId).not.toBe(taskId);
    });

    trial.it('keeps a child task while its parent is there', async () => {
      const { taskId } = await api.run('parent', {}, '0');
      const early = await api.run('quick');
      const children = `/v1/tasks?parent=${taskId}`;
      const list = (): Promise<{ items: readonly { taskId: string; status: string }[] }> =>
        api.get(children);
      await until('the child ends', async () => (await list()).items[0]?.status === 'succeeded');
      const child = (await list()).items[0]!.taskId;
      const later = await api.run('quick');
      await untilGone(early.taskId);
      await untilGone(later.taskId);
      expect(await isThere(child)).toBe(true);
      await api.ask({ path: `/v1/tasks/${taskId}:terminate`, body: { reason: 'no more' } });
      await untilGone(taskId);
      await untilGone(child);
    });

    trial.it('loses nothing when it is killed while it archives and removes', async () => {
      const orders = Array.from({ length: 300 }, () => ({ flow: 'quick' }));
      const body = { tasks: orders };
      const { results } = (await api.ask<Batch>({ path: '/v1/tasks:batch', body })).body;
      const ids = new Set(results.map(({ taskId }) => taskId));
      expect(ids.size).toBe(300);
      const rest = async (): Promise<number> => {
        const there = await api.list();
        const known = new Set(there.map(({ taskId }) => taskId));
        // Read behind the list: what is removed in between has been archived before.
        for (const taskId of await archived()) known.add(taskId);
        expect([...ids].filter((taskId) => !known.has(taskId))).toEqual([]);
        return there.filter(({ taskId }) => ids.has(taskId)).length;
      };
      for (let kills = 0; kills < 3; kills += 1) {
        await until('something is removed, or all is', async () => (await rest()) < 300);
        await backstep.processOf('oss').restart();
      }
      await until('all are removed', async () => (await rest()) === 0);
    });

    trial.it('keeps what it cannot archive', async () => {
      await rm(archive, { recursive: true, force: true });
      await writeFile(archive, 'a file is in the way');
      const { taskId } = await api.run('quick');
      await until('the failure is noticed', async () => {
        const { body } = await api.ask<string>({ path: '/metrics' });
        return /retention_failed/.test(body);
      });
      expect(await isThere(taskId)).toBe(true);
      await rm(archive);
      await untilGone(taskId);
    });

    trial.it('takes archived tasks back, and keeps them as if they had just ended', async () => {
      const task = await api.run('quick');
      const { taskId } = task;
      const shown = await api.get(`/v1/tasks/${taskId}`);
      await untilGone(taskId);
      const { code, stdout } = await cli('archive', 'import', archive, '-o', 'jsonl');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ refused: 0 });
      expect(await api.get(`/v1/tasks/${taskId}`)).toEqual(shown);
      const out = path.join(trial.folder, 'out');
      expect((await cli('archive', 'export', '--out', out)).code).toBe(0);
      await untilGone(taskId);
    });
  });
});
