import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { DocDesk } from '../docs/doc-desk.js';
import { codeBlocks } from '../docs/markdown.js';
import { readPage } from '../docs/pages.js';
import { FakeCluster } from '../kubernetes/index.js';
import { untilTask } from '../ledger/index.js';
import { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { REPOSITORY, startDeployment } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const DEADLINE_MS = 60_000;
const PAGE = codeBlocks(readPage('docs/job-worker.md').text);

const make = {
  name: 'make',
  normal: { module: 'jobs', command: 'make', timeout: 300, retry: { attempts: 2, delay: '100ms' } },
  rollback: { module: 'jobs', command: 'unmake', timeout: 300 },
};
const FLOWS = {
  'jobs-pair': {
    steps: [make, { name: 'check', normal: { module: 'jobs', command: 'check', timeout: 300 } }],
  },
  'jobs-one': { steps: [make] },
};

/** Writes down what it does. `make` waits where it is asked to, and takes its time to stop. */
const PROGRAM = `
note() { echo "$BACKSTEP_PARAM_NAME $*" >> "$JOURNAL"; }
case $BACKSTEP_COMMAND in
  make)
    note make
    trap 'note stopped; exit 1' TERM
    while [ "$BACKSTEP_PARAM_WAITS" = true ] && ! [ -e "$JOURNAL.open" ]; do sleep 0.05; done
    note made
    echo '{"made": true}'
    ;;
  unmake) note "unmade, forward $BACKSTEP_FORWARD_STATE" ;;
  check) exit 3 ;;
esac
`;

/** A template whose Jobs run the program, and keep this journal. */
function templateFor(journal: string): string {
  const env = [{ name: 'JOURNAL', value: journal }];
  const main = { name: 'main', image: 'made:1', command: ['sh', '-c', PROGRAM], env };
  const spec = { template: { spec: { containers: [main] } } };
  return JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', spec });
}

function startLauncher(folder: string, cluster: FakeCluster, api: Api): ChildProcess {
  const log = openSync(path.join(folder, 'launcher.log'), 'a');
  const names = ['make', 'unmake', 'check'].flatMap((name) => ['--command', name]);
  const template = path.join(folder, 'job.json');
  const kube = ['--job-template', template, '--kube-url', cluster.url, '--slots', '4'];
  const words = ['bin/backstep.mjs', 'worker', '--module', 'jobs', ...names, ...kube];
  return spawn(process.execPath, [...words, '--lease', '30s', '--url', api.url], {
    cwd: REPOSITORY,
    stdio: ['ignore', log, log],
  });
}

describe('a launcher of Jobs', () => {
  const trial = new Trial('jobs');
  let api: Api;
  let cluster: FakeCluster;
  let launcher: ChildProcess;
  const journal = (): string => path.join(trial.folder, 'journal');

  function lines(name: string): readonly string[] {
    const all = existsSync(journal()) ? readFileSync(journal(), 'utf8').split('\n') : [];
    return all.flatMap((line) =>
      line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : [],
    );
  }

  const jobs = () => cluster.table.list('jobs');
  const runningJob = () => jobs().find(({ status }) => status === undefined)!.metadata.name;

  const launch = (): void => void (launcher = startLauncher(trial.folder, cluster, api));

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const settings = { flows: await writeFlows(trial.folder, FLOWS) };
      const deployment = { folder: trial.folder, settings };
      api = new Api(trial.use(await startDeployment('standalone', deployment)).url);
      cluster = trial.use(await FakeCluster.start({ folder: trial.folder }));
      await writeFile(path.join(trial.folder, 'job.json'), templateFor(journal()));
      launch();
      const served = async (): Promise<void> => {
        const { items } = await api.get<{ items: { module: string }[] }>('/v1/executors');
        expect(items.map(({ module }) => module)).toContain('jobs');
      };
      await waitUntil(served, { what: 'the launcher', deadlineMs: DEADLINE_MS });
    }),
  );
  afterAll(async () => {
    launcher?.kill('SIGKILL');
    await trial.close();
  });

  const untilLines = (name: string, expected: readonly string[]): Promise<void> => {
    const probe = async (): Promise<void> => expect(lines(name)).toEqual(expected);
    return waitUntil(probe, { what: `the lines of ${name}`, deadlineMs: DEADLINE_MS });
  };

  trial.it('does a flow forward, and back where a Job fails', async () => {
    const taskId = await api.create('jobs-pair', { name: 'pair' });
    expect(await untilTask(api, taskId)).toMatchObject({
      status: 'rolled_back',
      steps: [{ output: { made: true } }, { message: expect.stringContaining('exit code 3') }],
    });
    expect(lines('pair')).toEqual(['make', 'made', 'unmade, forward succeeded']);
    const gone = async (): Promise<void> => expect(cluster.table.list('secrets')).toEqual([]);
    await waitUntil(gone, { what: 'the Secrets are gone', deadlineMs: DEADLINE_MS });
  });

  trial.it('that is killed is followed by one that goes on with its Jobs', async () => {
    const taskId = await api.create('jobs-one', { name: 'killed', waits: true });
    await untilLines('killed', ['make']);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    launch();
    await writeFile(`${journal()}.open`, '');
    expect(await untilTask(api, taskId)).toMatchObject({
      status: 'succeeded',
      steps: [{ attempts: 1, output: { made: true } }],
    });
    expect(lines('killed')).toEqual(['make', 'made']);
  });

  trial.it('tries again where a person deletes a Job, and not beside its pod', async () => {
    await rm(`${journal()}.open`, { force: true });
    const taskId = await api.create('jobs-one', { name: 'deleted', waits: true });
    await untilLines('deleted', ['make']);
    cluster.jobs.delete(runningJob(), 'Background');
    await untilLines('deleted', ['make', 'stopped', 'make']);
    await writeFile(`${journal()}.open`, '');
    const task = await untilTask(api, taskId);
    expect(task).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
  });

  trial.it('undoes nothing before the pod has ended that did it', async () => {
    await rm(`${journal()}.open`, { force: true });
    const taskId = await api.create('jobs-one', { name: 'back', waits: true });
    await untilLines('back', ['make']);
    await api.act(taskId, 'rollback', { reason: 'a test' });
    expect(await untilTask(api, taskId)).toMatchObject({ status: 'rolled_back' });
    expect(lines('back')).toEqual(['make', 'stopped', 'unmade, forward unknown']);
    expect(cluster.table.list('pods').every(({ status }) => status !== undefined)).toBe(true);
  });
});

describe('the page about it', () => {
  const trial = new Trial('jobs-page');
  let desk: DocDesk;
  let cluster: FakeCluster;
  const asked = new Set<string>();

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      cluster = trial.use(await FakeCluster.start({ folder: trial.folder }));
      cluster.on('asked', (act) => void asked.add(act));
      desk = await DocDesk.open();
    }),
  );
  afterAll(async () => {
    await desk?.close();
    await trial.close();
  });

  trial.it('has commands that do what it says', async () => {
    const commands = PAGE.filter(({ directive }) => directive === 'no-run needs a cluster');
    const said = [];
    for (const { text } of commands) {
      said.push(await desk.run(text.replaceAll('http://127.0.0.1:8001', cluster.url)));
    }
    expect(said.filter(({ failures }) => failures.length > 0)).toEqual([]);
  });

  it('gives the launcher the rights that it uses, but for those of trouble', () => {
    const role = PAGE.filter(({ language }) => language === 'yaml')
      .flatMap(({ text }) => parseAllDocuments(text).map((one) => one.toJS() as RoleView))
      .find(({ kind }) => kind === 'Role')!;
    const given = role.rules.flatMap(({ resources, verbs }) => {
      return resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`));
    });
    const rare = ['delete jobs'];
    expect([...asked, ...rare].sort()).toEqual(given.sort());
  });
});

interface RoleView {
  readonly kind: string;
  readonly rules: readonly { readonly resources: string[]; readonly verbs: string[] }[];
}
