import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import type { Task as StoredTask } from '#core';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { KEY } from '#ports';
import { openSqliteStore } from '#store-sqlite';
import { standaloneProcess } from './standalone.process.js';

const flows = fileURLToPath(new URL('../../../flow-configs/', import.meta.url));
const FAULTS = '/modules/lab/faults';
const SECOND = `${FAULTS}/lab-succeed/second`;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Step {
  readonly name: string;
  readonly state: string;
  readonly attempts: number;
  readonly message: string | null;
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly steps: readonly Step[];
}

class Place {
  folder = '';
  /** API key that requests carry; undefined: none. */
  key: string | undefined;
  running: RunningProcess | undefined;

  async open(flags: Readonly<Record<string, string>>): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), 'backstep-faults-'));
    const store = `sqlite:${this.storeFile}`;
    const where = { store, flows, http: '127.0.0.1:0', log: 'silent' };
    const all = { ...where, governanceInterval: '50ms', drain: '1s', ...flags };
    const settings = loadSettings({ mode: 'test', flags: all, cwd: this.folder });
    this.running = await startProcess(standaloneProcess, settings);
  }

  get storeFile(): string {
    return path.join(this.folder, 'backstep.db');
  }

  async close(): Promise<void> {
    await this.running?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async ask(method: string, url: string, body?: unknown): Promise<Answer> {
    const { key } = this;
    const answer = await fetch(`${this.running?.url}${url}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
  }

  async run(flow: string): Promise<Task> {
    const answer = await this.ask('POST', '/v1/tasks?wait=60s', { flow, parameters: {} });
    return answer.body as unknown as Task;
  }

  /** Waits until something holds for the stored task. */
  async until(taskId: string, isEnough: (task: StoredTask) => boolean): Promise<StoredTask> {
    const { engine, store } = this.running!.context;
    return engine.watch.until((await store.get(taskId))!, isEnough, 60_000);
  }

  /** How often effects of a task happened and were undone, by their names. */
  async effects({ taskId }: Task): Promise<readonly string[]> {
    const { body } = await this.ask('GET', `/modules/lab/effects?taskId=${taskId}`);
    const items = body['items'] as { name: string; applied: number; undone: number }[];
    return items.map(({ applied, name, undone }) => `${name} ${applied} ${undone}`);
  }
}

function second({ steps }: Task): Step | undefined {
  return steps.find(({ name }) => name === 'second');
}

describe('a switch of the lab', () => {
  const place = new Place();
  beforeAll(() => place.open({ lab: 'on' }));
  afterAll(() => place.close());

  it('is told of by the gateway', async () => {
    const answer = await place.ask('GET', '/v1/executors');
    expect(answer.body).toMatchObject({ faultSwitches: true });
  });

  it('has a step fail once, says so, and is off then', async () => {
    expect(await place.ask('PUT', SECOND, { kind: 'fail_once' })).toEqual({
      status: 200,
      body: { flow: 'lab-succeed', step: 'second', kind: 'fail_once' },
    });
    const task = await place.run('lab-succeed');
    expect(task.status).toBe('rolled_back');
    expect(second(task)?.message).toBe('made to fail once by a switch of the lab');
    expect(await place.effects(task)).toEqual(['first 1 1']);
    expect((await place.ask('GET', FAULTS)).body).toEqual({ items: [] });
    expect((await place.run('lab-succeed')).status).toBe('succeeded');
  });

  it('has a step fail until it is taken back, retries included', async () => {
    const url = `${FAULTS}/lab-retry/at-once`;
    await place.ask('PUT', url, { kind: 'fail_always' });
    const task = await place.run('lab-retry');
    expect(task).toMatchObject({ status: 'rolled_back', steps: [{ attempts: 3 }, {}] });
    expect((await place.run('lab-retry')).status).toBe('rolled_back');
    expect((await place.ask('DELETE', url)).status).toBe(204);
    expect((await place.run('lab-retry')).status).toBe('succeeded');
    expect(await place.ask('DELETE', url)).toMatchObject({ status: 404 });
  });

  it('holds a step up, which then does its work', async () => {
    await place.ask('PUT', SECOND, { kind: 'slow', delay: '20ms' });
    expect((await place.ask('GET', FAULTS)).body).toEqual({
      items: [{ flow: 'lab-succeed', step: 'second', kind: 'slow', delay: '20ms' }],
    });
    const task = await place.run('lab-succeed');
    expect(task.status).toBe('succeeded');
    expect(await place.effects(task)).toContain('second 1 0');
  });

  it('lets go of a step that is held up and called off', async () => {
    await place.ask('PUT', SECOND, { kind: 'slow', delay: '1h' });
    const order = { flow: 'lab-succeed', parameters: {} };
    const { body } = await place.ask('POST', '/v1/tasks', order);
    const taskId = String(body['taskId']);
    await place.until(taskId, ({ runs }) => runs[1]?.normal.state === 'running');
    await place.ask('POST', `/v1/tasks/${taskId}:rollback`, { reason: 'seen enough' });
    const ended = await place.until(taskId, ({ outcome }) => outcome !== null);
    expect(ended.outcome).toBe('rolled_back');
    await place.ask('DELETE', SECOND);
  });

  it('has an attempt lost as by a crash, which is made again and has its effect once', async () => {
    await place.ask('PUT', SECOND, { kind: 'crash' });
    const task = await place.run('lab-succeed');
    expect(task.status).toBe('succeeded');
    expect(second(task)).toMatchObject({ state: 'succeeded', attempts: 2 });
    expect(await place.effects(task)).toEqual(['first 1 0', 'second 1 0', 'third 1 0']);
    const { body } = await place.ask('GET', `/v1/tasks/${task.taskId}/events`);
    const kinds = (body['items'] as { kind: string; step?: string }[])
      .filter(({ step }) => step === 'second')
      .map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['lease_lost', 'restart_scheduled']));
    expect(kinds).not.toContain('handed_back');
    // The process that lost it all goes on under its next session.
    expect((await place.run('lab-succeed')).status).toBe('succeeded');
  });

  it.each([
    [SECOND, {}, '/kind'],
    [SECOND, { kind: 'explode' }, '/kind'],
    [SECOND, { kind: 'slow', delay: 'long' }, '/delay'],
    [SECOND, { kind: 'slow', delay: '2h' }, '/delay'],
    [SECOND, { kind: 'slow', delay: [] }, '/delay'],
    [SECOND, { kind: 'crash', delay: '1s' }, '/delay'],
    [SECOND, { kind: 'crash', more: 1 }, '/more'],
    [SECOND, [], ''],
    [SECOND, 'crash', ''],
    [`${FAULTS}/lab-succeed/fourth`, { kind: 'crash' }, '/step'],
    [`${FAULTS}/lab-group/again`, { kind: 'crash' }, '/step'],
    [`${SECOND}?more=1`, { kind: 'crash' }, '/more'],
  ])('refuses PUT %s of %j', async (url, body, pointer) => {
    const answer = await place.ask('PUT', url, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(answer.body['errors']).toMatchObject([{ pointer }]);
  });

  it('is for a flow that there is', async () => {
    const answer = await place.ask('PUT', `${FAULTS}/none/a`, { kind: 'crash' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'FLOW_NOT_FOUND' } });
  });
});

describe('where the lab is off', () => {
  const place = new Place();
  beforeAll(() => place.open({ lab: 'off' }));
  afterAll(() => place.close());

  it.each(['GET', 'PUT', 'DELETE'])('%s finds no switch', async (method) => {
    const url = method === 'GET' ? FAULTS : SECOND;
    const body = method === 'PUT' ? { kind: 'crash' } : undefined;
    expect(await place.ask(method, url, body)).toMatchObject({ status: 404 });
  });

  it('says so, that no console asks for them', async () => {
    const answer = await place.ask('GET', '/v1/executors');
    expect(answer.body).toMatchObject({ faultSwitches: false });
  });
});

describe('where keys are asked for', () => {
  const place = new Place();
  const keys = new Map<string, string>();
  beforeAll(async () => {
    await place.open({ lab: 'on', auth: 'keys' });
    await place.running?.stop();
    const store = await openSqliteStore({ path: place.storeFile });
    const roles = ['viewer', 'starter', 'operator'] as const;
    for (const [n, role] of roles.entries()) {
      const secret = { id: `${n}`.repeat(16), secret: 'a'.repeat(43) };
      const { record, text } = makeKey({ name: role, role }, secret, 1_000);
      await store.records.put(KEY, record, null);
      keys.set(role, text);
    }
    await store.close();
    const settings = place.running!.context.settings;
    place.running = await startProcess(standaloneProcess, settings);
  });
  afterAll(() => place.close());

  it.each([
    ['viewer', 403],
    ['starter', 403],
    ['operator', 200],
  ])('a key of the role %s is answered %d', async (role, status) => {
    place.key = keys.get(role);
    expect((await place.ask('GET', FAULTS)).status).toBe(200);
    expect((await place.ask('PUT', SECOND, { kind: 'crash' })).status).toBe(status);
    const removed = await place.ask('DELETE', SECOND);
    expect(removed.status).toBe(status === 200 ? 204 : status);
  });
});
