import path from 'node:path';
import { describe, expect, jest } from '@jest/globals';
import Libsql from 'libsql';
import { untilTask } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

/** Ways to break a stored task. */
const WAYS: readonly (readonly [table: 'task' | 'progress', set: string])[] = [
  ['task', "plan = '{'"],
  ['task', "plan = '[1]'"],
  ['task', "plan = json_set(plan, '$[6]', 7)"],
  ['task', "plan = json_set(plan, '$[0]', 2)"],
  ['task', "steps_key = 'nowhere'"],
  ['progress', "state = '[[1,'"],
  ['progress', "state = json_set(state, '$[1][1][1]', 'dreaming')"],
  ['progress', "state = json_remove(state, '$[1]')"],
  ['progress', "journal = 'x,'"],
  ['progress', 'status = 42'],
];

const LOOK = { module: 'lab', command: 'again', timeout: 600 };
const FLOWS = {
  slow: {
    steps: [{ name: 'look', normal: { ...LOOK, parameters: { times: 3, delay: '300ms' } } }],
  },
};

jest.setTimeout(240_000);

describe('a standalone process on a store with broken documents', () => {
  const trial = new Trial('broken-documents');

  trial.it('starts, names them, and runs everything else', async () => {
    await trial.open();
    const flows = await writeFlows(trial.folder, FLOWS);
    const backstep: AppProcess = await planStandalone({
      folder: trial.folder,
      settings: { flows, lease: '1s' },
    });
    trial.use({ stop: () => backstep.kill() });
    await backstep.start();
    const api = new Api(backstep.url);
    const create = (): Promise<string> => api.create('slow');
    const broken = await Promise.all(WAYS.map(create));
    const sound = await Promise.all(Array.from({ length: 20 }, create));
    await backstep.kill();
    const file = path.join(trial.folder, 'data', 'backstep.db');
    breakAll(file, broken);
    await backstep.start();

    for (const taskId of sound) await untilSucceeded(api, taskId);
    const { items } = await api.get<{ items: readonly { taskId: string; status: string }[] }>(
      '/v1/tasks?limit=200',
    );
    const unreadable = items.filter(({ status }) => status === 'unreadable');
    expect(unreadable.map(({ taskId }) => taskId).sort()).toEqual([...broken].sort());
    expect(items).toHaveLength(broken.length + sound.length);
    for (const taskId of broken) {
      const { body, status } = await api.ask({ path: `/v1/tasks/${taskId}` });
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: 'TASK_UNREADABLE',
        detail: expect.stringContaining(taskId),
      });
    }
    const { body: metrics } = await api.ask<string>({ path: '/metrics' });
    expect(metrics).toContain(`backstep_tasks_live{status="unreadable"} ${broken.length}`);
    const later = await api.run('slow');
    expect(later.status).toBe('succeeded');

    await trial.close();
  });
});

/** The process is gone, so the file is anybody's. */
function breakAll(file: string, taskIds: readonly string[]): void {
  const db = new Libsql(file);
  for (const [n, [table, set]] of WAYS.entries()) {
    const which = `SELECT id FROM task WHERE task_id = '${taskIds[n]}'`;
    db.exec(`UPDATE ${table} SET ${set} WHERE id IN (${which})`);
  }
  db.close();
}

async function untilSucceeded(api: Api, taskId: string): Promise<void> {
  await untilTask(api, taskId, ({ status }) => status === 'succeeded');
}
