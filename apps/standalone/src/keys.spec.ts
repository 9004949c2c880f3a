import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { KEY } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { standaloneProcess } from './standalone.process.js';

const SECRET = { id: 'a'.repeat(16), secret: 'a'.repeat(43) };
const { record, text } = makeKey({ name: 'root', role: 'admin' }, SECRET, 1_000);
const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));

let folder: string;
let running: RunningProcess;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-keys-'));
  const file = path.join(folder, 'backstep.db');
  const store = await openSqliteStore({ path: file });
  await store.records.put(KEY, record, null);
  await store.close();
  const where = { store: `sqlite:${file}`, flows, http: '127.0.0.1:0' };
  const flags = { ...where, auth: 'keys', log: 'silent', lab: 'on' };
  const settings = loadSettings({ mode: 'test', flags, cwd: folder });
  running = await startProcess(standaloneProcess, settings);
});

afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true });
});

function ask(url: string, key?: string): Promise<Response> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(`${running.url}${url}`, { headers });
}

async function keyOf(order: object): Promise<string> {
  const answer = await fetch(`${running.url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return ((await answer.json()) as { key: string }).key;
}

const PAGES = ['/modules/resource/hosts', '/modules/lab/effects', '/modules/monitor/events'];

describe('a process that asks for keys', () => {
  it('says so, and that it is ready, to everybody', async () => {
    expect(await (await ask('/readyz')).json()).toMatchObject({ status: 'ready', auth: 'keys' });
    expect((await ask('/livez')).status).toBe(200);
  });

  it.each([...PAGES, '/metrics', '/v1/flows', '/docs'])('shows %s to no stranger', async (url) => {
    expect((await ask(url)).status).toBe(401);
    expect((await ask(url, text)).status).toBe(200);
  });

  it('shows the pages of a module to whoever may see all of it', async () => {
    const mine = await keyOf({ name: 'mine', role: 'viewer', modules: ['resource'] });
    expect((await ask('/modules/resource/hosts', mine)).status).toBe(200);
    expect((await ask('/modules/lab/effects', mine)).status).toBe(404);
    const some = await keyOf({ name: 'some', role: 'viewer', flows: ['create-*'] });
    expect((await ask('/modules/resource/hosts', some)).status).toBe(404);
    const worker = await keyOf({ name: 'w', role: 'worker', modules: ['resource'] });
    expect((await ask('/modules/resource/hosts', worker)).status).toBe(403);
  });
});
