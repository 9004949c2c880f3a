import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'jsonc-parser';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { standaloneProcess } from './standalone.process.js';

jest.setTimeout(240_000);

interface Report {
  readonly taskId: string;
  readonly status: string;
  readonly steps: readonly {
    readonly state: string;
    readonly code: number;
    readonly rollback: { readonly state: string } | null;
  }[];
}

interface Hosts {
  readonly items: readonly { readonly allocations: readonly { readonly instance: string }[] }[];
}

const SIZE = { cpu: 1, memory: 1, storage: 1 };
const shipped = new URL('../../../flow-configs/', import.meta.url);

let folder: string;
let running: RunningProcess;

/** The steps of shipped flows, without their input: what a request may send is left open. */
async function openFlows(): Promise<object> {
  const fail = { normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } } };
  const names = ['create-db-instance', 'delete-db-instance', 'create-db-cluster'];
  const entries = names.map(async (name) => {
    const text = await readFile(new URL(`${name}.json`, shipped), 'utf8');
    const { steps } = (parse(text) as Record<string, { steps: object[] }>)[name]!;
    return [`open-${name}`, { steps }] as const;
  });
  const flows = Object.fromEntries(await Promise.all(entries));
  const deletion = flows['open-delete-db-instance']?.steps ?? [];
  return { ...flows, 'open-failing-deletion': { steps: [...deletion.slice(0, 2), fail] } };
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-wrong-'));
  const flows = path.join(folder, 'flows');
  await mkdir(flows);
  await writeFile(path.join(flows, 'open.json'), JSON.stringify(await openFlows()));
  const store = `sqlite:${path.join(folder, 'backstep.db')}`;
  const flags = { store, flows, http: '127.0.0.1:0', log: 'silent', lab: 'on' };
  const settings = loadSettings({ mode: 'test', flags, cwd: folder });
  running = await startProcess(standaloneProcess, settings);
});

afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true });
});

async function run(flow: string, parameters: object): Promise<Report> {
  const answer = await fetch(new URL('/v1/tasks?wait=30s', running.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ flow, parameters }),
  });
  return (await answer.json()) as Report;
}

const undos = ({ steps }: Report) => steps.map(({ rollback }) => rollback?.state);

async function bookedInstances(): Promise<readonly string[]> {
  const answer = await fetch(new URL('/modules/resource/hosts', running.url));
  const { items } = (await answer.json()) as Hosts;
  return items.flatMap(({ allocations }) => allocations.map(({ instance }) => instance));
}

describe('a request of wrong types', () => {
  it('for a member of one step undoes the others and calls nobody', async () => {
    const task = await run('open-create-db-instance', { ...SIZE, instance: 5 });
    expect(task.status).toBe('rolled_back');
    expect(task.steps.map(({ code }) => code)).toEqual([0, 5, 0]);
    expect(undos(task)).toEqual(['succeeded', 'none', 'none']);
  });

  it.each([{ message: 5 }, { severity: 'zzz' }, { instance: 5, message: {}, severity: 0 }])(
    'for members that only an undo takes is no reason not to undo: %j',
    async (wrong) => {
      const task = await run('open-create-db-instance', { ...SIZE, cpu: 5_000, ...wrong });
      expect(task.status).toBe('rolled_back');
      expect(undos(task)).toEqual(['succeeded', 'none', 'none']);
    },
  );

  it('that the first command refuses leaves nothing to undo', async () => {
    const task = await run('open-create-db-instance', { ...SIZE, cpu: 'many' });
    expect(task.status).toBe('rolled_back');
    expect(undos(task)).toEqual(['none', 'none', 'none']);
  });

  it('undoes a deletion as well, which needs no size', async () => {
    const { status } = await run('open-create-db-instance', { ...SIZE, instance: 'kept' });
    expect(status).toBe('succeeded');
    const wrong = { cpu: 'x', memory: 0.000_1, storage: 1e300, instance: 'kept' };
    const task = await run('open-failing-deletion', wrong);
    expect(task.status).toBe('rolled_back');
    expect(undos(task).slice(0, 2)).toEqual(['succeeded', 'succeeded']);
    expect(await bookedInstances()).toContain('kept');
  });
});

describe('a request that plays a step', () => {
  it('books no room for an instance that nobody made', async () => {
    const task = await run('open-create-db-instance', {
      ...SIZE,
      instance: 'real',
      x: { instance: 'ghost', endpoint: 'evil.example:80' },
    });
    expect(task.status).toBe('succeeded');
    expect(await bookedInstances()).toContain('real');
    expect(await bookedInstances()).not.toContain('ghost');
    await run('open-delete-db-instance', { instance: 'real' });
    expect(await bookedInstances()).not.toContain('real');
  });

  it('does not take a target from the task that watches it', async () => {
    const first = await run('open-create-db-cluster', { ...SIZE, instance: 'shop' });
    expect(first.status).toBe('succeeded');
    const x = { instance: 'shop-primary', endpoint: 'evil.example:80' };
    const second = await run('open-create-db-cluster', { ...SIZE, instance: 'other', x });
    expect(second.status).toBe('succeeded');
    const targets = await readFile(path.join(folder, 'targets', 'backstep.json'), 'utf8');
    expect(targets).toContain('shop-primary.sandbox.invalid:3306');
    expect(targets).not.toContain('evil.example');
  });
});
