import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { isAt, untilTask } from '../../ledger/index.js';
import { PRACTICE_FLOWS, type TaskView } from '../../load/index.js';
import { REPOSITORY } from '../../stack/index.js';
import type { Reproduction, Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

/** How a document can be broken, as statements about one task; `:id` is its row. */
const BREAKAGES: Readonly<Record<string, string>> = {
  'a state that is no JSON': `UPDATE progress SET state = '{' WHERE id = :id`,
  'an empty state': `UPDATE progress SET state = '' WHERE id = :id`,
  'a state that is a list': `UPDATE progress SET state = '[1, 2]' WHERE id = :id`,
  'a state that says nothing': `UPDATE progress SET state = '{}' WHERE id = :id`,
  'a state of bytes': `UPDATE progress SET state = x'ff00ff' WHERE id = :id`,
  'a journal that is no JSON': `UPDATE progress SET journal = 'oops' WHERE id = :id`,
  'a plan that is no JSON': `UPDATE task SET plan = '{"v":' WHERE id = :id`,
  'a plan that says nothing': `UPDATE task SET plan = '{}' WHERE id = :id`,
  'a plan without steps': `UPDATE task SET steps_key = 'none' WHERE id = :id`,
  'a status that does not exist': `UPDATE progress SET status = 99 WHERE id = :id`,
  'a revision that is a text': `UPDATE progress SET revision = 'seven' WHERE id = :id`,
  'no progress at all': `DELETE FROM progress WHERE id = :id`,
};

const BREAK_STORE = path.join(REPOSITORY, 'dist/test/hostile/break-store.js');
const LIVE = 'lab-second';
const SOUND = 6;

/** Starts a live task of its own for every breakage, and some that stay whole. */
async function fill(stand: Stand): Promise<{ broken: string[]; whole: string[] }> {
  const create = () => stand.api.create(LIVE);
  const broken = await Promise.all(Object.keys(BREAKAGES).map(create));
  const whole = await Promise.all(Array.from({ length: SOUND }, create));
  await Promise.all([...broken, ...whole].map((id) => untilTask(stand.api, id, isAt('sleep'))));
  return { broken, whole };
}

function breakDocuments(stand: Stand, taskIds: readonly string[]): void {
  const file = path.join(stand.data, 'backstep.db');
  const statements = Object.values(BREAKAGES).map((statement, n) => {
    return statement.replace(':id', `(SELECT id FROM task WHERE task_id = '${taskIds[n]}')`);
  });
  execFileSync(process.execPath, [BREAK_STORE, file, ...statements]);
}

const standing: Reproduction = {
  rule: 'broken documents stand in nobody else’s way: the process starts, runs and lists',
  sends: `${Object.keys(BREAKAGES).length} documents broken in the file while it is down`,
  restarts: true,
  limitMs: 180_000,
  play: async (stand) => {
    const { broken, whole } = await fill(stand);
    await stand.kill();
    breakDocuments(stand, broken);
    await stand.start();
    const ended = await Promise.all(whole.map((taskId) => untilTask(stand.api, taskId)));
    assert.deepEqual([...new Set(ended.map(({ status }) => status))], ['succeeded']);
    assert.equal((await stand.api.run('lab-succeed')).status, 'succeeded');
    for (const query of ['', '&full=true']) {
      const listed = await statuses(stand, query);
      for (const taskId of whole) assert.equal(listed.get(taskId), 'succeeded');
      const others = Object.keys(BREAKAGES).flatMap((kind, n) => {
        const status = listed.get(broken[n]!);
        return status === 'unreadable' ? [] : [`${kind}: ${status}`];
      });
      assert.equal(others.join('; '), '', query);
    }
    await expectCalm(stand, broken);
  },
};

/** The status of every task that is listed. */
async function statuses(stand: Stand, query: string): Promise<ReadonlyMap<string, string>> {
  const listed = new Map<string, string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await stand.api.get(`/v1/tasks?limit=5${query}${at}`);
    for (const { status, taskId } of page.items) listed.set(taskId, status);
    cursor = page.page.nextCursor;
  }
  return listed;
}

interface Page {
  readonly items: readonly { readonly taskId: string; readonly status: string }[];
  readonly page: { readonly nextCursor: string | null };
}

/** Requests about a broken document are answered, and a metric tells of it. */
async function expectCalm(stand: Stand, broken: readonly string[]): Promise<void> {
  for (const taskId of broken) {
    const one = await stand.send({ path: `/v1/tasks/${taskId}` });
    assert.ok(one.status < 500, `GET: ${one.status} ${one.text.slice(0, 200)}`);
    const path = `/v1/tasks/${taskId}:terminate`;
    const act = await stand.send({ path, body: { reason: 'broken' } });
    assert.ok(act.status < 500, `terminate: ${act.status} ${act.text.slice(0, 200)}`);
  }
  const metrics = await stand.send({ path: '/metrics' });
  assert.match(metrics.text, /unreadable/, 'no metric tells of them');
  const page = await stand.api.get<{ items: TaskView[] }>('/v1/tasks?limit=3');
  assert.equal(page.items.length, 3);
}

/** Documents that nobody can read any more. */
export const brokenDocuments: Subject = {
  name: 'broken documents',
  flows: { [LIVE]: PRACTICE_FLOWS[LIVE] },
  settings: { lease: '1s', governanceInterval: '200ms', redispatchAfter: '1s' },
  reproductions: [standing],
};
