import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsonObject } from '#core';
import { FakeCluster } from '../../../../test/kubernetes/index.js';
import { waitUntil } from '../../../../test/servers/wait-until.js';
import { SystemClock } from '#machine';
import { run } from '../run-cli-spec.js';
import { StubGateway } from '../worker/stub-gateway-spec.js';
import { News } from './watched-list.js';

jest.setTimeout(60_000);

let gateway: StubGateway;
let cluster: FakeCluster;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'jobs-'));
  [gateway, cluster] = await Promise.all([StubGateway.start(), FakeCluster.start({ folder })]);
  gateway.beat = { state: 'held', leaseMs: 30_000 };
});
afterEach(async () => {
  await cluster.stop();
  await gateway.close();
  await rm(folder, { recursive: true, maxRetries: 20 });
});

const SHELL: JsonObject = { name: 'main', image: 'alpine:3', command: ['sh', '-c', 'true'] };

/** A template of a container, with more of its pod. */
function template(container: JsonObject, pod: JsonObject = {}): JsonObject {
  const spec = { ...pod, containers: [{ ...SHELL, ...container }] };
  return { apiVersion: 'batch/v1', kind: 'Job', spec: { template: { spec } } };
}

/** The words of a worker whose Jobs run this line of a shell, or are of this template. */
async function words(line: string | JsonObject, ...more: readonly string[]): Promise<string[]> {
  const file = path.join(folder, 'job.json');
  const made = typeof line === 'string' ? template({ command: ['sh', '-c', line] }) : line;
  await writeFile(file, JSON.stringify(made));
  const where = ['--kube-url', cluster.url, '--job-template', file];
  return ['--command', 'charge', ...where, ...more];
}

/** The outcome of an action that is carried out by a Job. */
async function told(line: string | JsonObject, item: JsonObject = {}, more: string[] = []) {
  return gateway.told(await words(line, ...more), item);
}

const jobs = () => cluster.table.list('jobs');
const pods = () => cluster.table.list('pods');
const [job, pod] = [() => jobs()[0]!, () => pods()[0]!];

/** Resolves once the program of a Job has written its first line. */
function begun(): Promise<void> {
  const probe = async () => {
    expect(cluster.jobs.processOf(pod().metadata.name)?.lines).not.toEqual([]);
  };
  return waitUntil(probe, { what: 'a pod begins', deadlineMs: 30_000 });
}

/** Runs until the file `gate` is there. */
const UNTIL_GATE = () => `echo begun; until [ -e ${folder}/gate ]; do sleep 0.05; done`;
const openGate = () => writeFile(path.join(folder, 'gate'), '');

describe('the Job of an action', () => {
  it('gets parameters by a Secret, and none of them stands in its manifest', async () => {
    const line =
      'cat "$BACKSTEP_PARAMETERS"; echo "$BACKSTEP_PARAM_PASSWORD $BACKSTEP_TASK_ID" >&2; ' +
      `echo '{"made": true}' > "$BACKSTEP_OUTPUT"`;
    const parameters = { password: 'my-secret', list: [1, 2] };
    expect(await told(line, { parameters })).toMatchObject({
      kind: 'complete',
      body: { output: { made: true } },
    });
    expect([...gateway.lines].sort()).toEqual([
      'my-secret task-1',
      '{"password":"my-secret","list":[1,2]}',
    ]);
    expect(JSON.stringify([...jobs(), ...pods()])).not.toContain('my-secret');
    expect(job().spec).toMatchObject({ backoffLimit: 0, ttlSecondsAfterFinished: 3_600 });
    expect(job().spec.activeDeadlineSeconds).toBeGreaterThan(0);
    expect(job().spec.activeDeadlineSeconds).toBeLessThanOrEqual(60);
    expect(cluster.table.list('secrets')).toEqual([]);
  });

  it('is kept for as long as its launcher may be away, however soon it may be removed', async () => {
    const short = template({});
    const spec = { ...(short['spec'] as JsonObject), ttlSecondsAfterFinished: 0 };
    expect(await told({ ...short, spec })).toMatchObject({ kind: 'complete' });
    expect(job().spec).toMatchObject({ ttlSecondsAfterFinished: 600 });
  });

  it('of an undo is recorded without the output that it undoes', async () => {
    const output = { text: 'x'.repeat(300_000) };
    const undo = { direction: 'rollback', forward: { state: 'succeeded', output } };
    gateway.start(await words(`${UNTIL_GATE()}; echo $BACKSTEP_FORWARD_STATE`), undo);
    await begun();
    const [secret] = cluster.table.list('secrets');
    expect(JSON.stringify(secret?.metadata.annotations).length).toBeLessThan(2_000);
    await openGate();
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete' });
    expect(gateway.lines).toContain('succeeded');
  });

  it('asks for what the parameters say', async () => {
    const resources = { limits: { cpu: '{% cpu %}', memory: '{% memory & "Gi" %}' } };
    const made = template(
      { image: '{% $lookup({"a": "one:1", "b": "two:2"}, tool) %}', resources },
      { nodeSelector: '{% $input.where %}' },
    );
    const parameters = { cpu: 4, memory: 8, tool: 'b', where: { zone: 'north' } };
    expect(await told(made, { parameters })).toMatchObject({ kind: 'complete' });
    expect(job().spec.template.spec).toMatchObject({
      nodeSelector: { zone: 'north' },
      containers: [{ image: 'two:2', resources: { limits: { cpu: 4, memory: '8Gi' } } }],
    });
  });

  it('reads no variable of its container for the sender of a parameter', async () => {
    const made = template({
      command: ['sh', '-c', 'true', '$(TOKEN)', '{% name %}'],
      args: '{% [name] %}',
      env: [{ name: 'NAME', value: '{% name %}' }],
    });
    const parameters = { name: '$(TOKEN) $$ 5$' };
    expect(await told(made, { parameters })).toMatchObject({ kind: 'complete' });
    const plain = '$$(TOKEN) $$$$ 5$$';
    const [container] = job().spec.template.spec.containers;
    expect(container).toMatchObject({
      command: ['sh', '-c', 'true', '$(TOKEN)', plain],
      args: [plain],
    });
    expect(container?.env?.[0]).toEqual({ name: 'NAME', value: plain });
  });

  it('fails for good where the parameters make no Job', async () => {
    const made = template({ resources: { limits: { memory: '{% memory %}' } } });
    expect(await told(made, { parameters: { memory: 'much' } })).toMatchObject({
      kind: 'fail',
      body: { code: 'JOB_REFUSED', retryable: false, message: expect.stringContaining('"much"') },
    });
    expect(jobs()).toEqual([]);
  });

  it('fails for good where an expression of the template does', async () => {
    const made = template({ image: '{% $error("no tool") %}' });
    expect(await told(made)).toMatchObject({ kind: 'fail', body: { code: 'JOB_TEMPLATE' } });
  });

  it('begins only when an earlier one of its step has ended, with the time left', async () => {
    const file = path.join(folder, 'order');
    const second = `[ $BACKSTEP_FENCING_TOKEN = 7 ] && echo second >> ${file} && exit 0`;
    const first = `trap "sleep 2; echo first >> ${file}; exit 1" TERM; echo begun; sleep 60 & wait`;
    const order = await words(`${second}; ${first}`);
    gateway.start(order, { fencingToken: 6 });
    await begun();
    gateway.stop();
    await gateway.ended;
    gateway.start([...order, '--launcher', 'other'], { fencingToken: 7, direction: 'rollback' });
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete' });
    expect(await readFile(file, 'utf8')).toBe('first\nsecond\n');
    expect(jobs().map(({ metadata }) => metadata.labels?.['backstep/launcher'])).toEqual(['other']);
    expect(job().spec.activeDeadlineSeconds).toBeLessThanOrEqual(58);
  });
});

describe('the end of a Job', () => {
  it.each([
    ['exit 75', { retryable: true, code: 'EXIT_75' }],
    [
      'echo "no room"; exit 3',
      { retryable: false, code: 'EXIT_3', message: 'the program ended with exit code 3: no room' },
    ],
    [
      'echo broken > "$BACKSTEP_OUTPUT"; exit 4',
      { code: 'EXIT_4', message: 'the program ended with exit code 4: broken' },
    ],
    ['kill -9 $$', { retryable: true, code: 'KILLED' }],
  ])('is that of its program: %s', async (line, expected) => {
    const { body, kind } = await told(line);
    expect([kind, body]).toMatchObject(['fail', expected]);
  });

  it('has the last JSON object of the log as its output, with secrets masked in lines', async () => {
    const line = `echo '{"n": 1, "key": "x-1"}'; echo '{"n": 2, "key": "x-2"}'; echo done`;
    expect(await told(line, {}, ['--secret', 'key'])).toMatchObject({
      body: { output: { n: 2, key: 'x-2' } },
    });
    expect(gateway.lines).toEqual(['{"n":1,"key":"***"}', 'done']);
  });

  it('is known also where the news of its pod come late', async () => {
    cluster.silent = 'pods';
    expect(await told(`echo '{"n": 1}'`)).toMatchObject({ body: { output: { n: 1 } } });
  });

  it('that a person brings about by deleting it is a failure that may be tried again', async () => {
    gateway.start(await words('echo begun; sleep 60'));
    await begun();
    cluster.jobs.delete(job().metadata.name, 'Background');
    expect(await gateway.outcome()).toMatchObject({
      kind: 'fail',
      body: { retryable: true, code: 'JOB_DELETED' },
    });
  });

  it('is none where its pod was evicted: the action is handed back', async () => {
    gateway.start(await words('echo begun; sleep 60'));
    await begun();
    cluster.jobs.evict(job().metadata.name);
    expect(await gateway.outcome()).toMatchObject({
      kind: 'release',
      body: { reason: expect.stringContaining('the node was low on memory') },
    });
  });

  it('is waited for when the action is called off', async () => {
    gateway.beat = { state: 'cancelled', reason: 'rolled_back', stopWithinMs: 9_000 };
    const line = 'trap "echo asked; exit 1" TERM; echo begun; sleep 60 & wait';
    gateway.start(await words(line), { leaseMs: 6_000 });
    expect(await gateway.outcome()).toMatchObject({ kind: 'fail', body: { code: 'CANCELLED' } });
    expect([jobs(), pods(), cluster.table.list('secrets')]).toEqual([[], [], []]);
  });
});

describe('a launcher', () => {
  it('that starts again goes on with its Jobs', async () => {
    const order = await words(`${UNTIL_GATE()}; echo '{"a": 1}'`);
    gateway.start(order);
    await begun();
    gateway.stop();
    expect((await gateway.ended).code).toBe(0);
    expect(gateway.seen.at(-1)?.kind).toBe('heartbeat');
    gateway.start(order, null);
    await gateway.heard('heartbeat');
    await openGate();
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete', body: { output: { a: 1 } } });
    expect(jobs().length).toBe(1);
  });

  it('gets no warning of Node, however many Jobs wait for news', async () => {
    const warned: string[] = [];
    const take = ({ message }: Error): void => void warned.push(message);
    process.on('warning', take);
    const news = new News(new SystemClock());
    const waits = Array.from({ length: 20 }, () => {
      return news.next(60_000, new AbortController().signal);
    });
    news.tell();
    await Promise.all(waits);
    await new Promise(setImmediate);
    process.off('warning', take);
    expect(warned).toEqual([]);
  });

  it('tells what the cluster says, cut between two characters', async () => {
    [cluster.refused, cluster.why] = ['jobs', '\u{1f600}'.repeat(300)];
    gateway.start(await words('true'), { leaseMs: 1_500 });
    const said = () => gateway.seen.flatMap(({ body }) => (body['claims'] ?? []) as JsonObject[]);
    const isTold = async () => {
      const [message] = said().flatMap(
        ({ progress }) => (progress as JsonObject)?.['message'] ?? [],
      );
      expect(message).toMatch(/: 403 \u{1f600}+\.\.\.$/u);
    };
    await waitUntil(isTold, { what: 'it is told', deadlineMs: 30_000 });
    gateway.stop();
    await gateway.ended;
  });

  it('that starts again before its Job was made bounds that all the same', async () => {
    cluster.refused = 'jobs';
    const asked = cluster.heard(/create jobs/);
    const order = await words('true');
    gateway.start(order);
    await asked;
    gateway.stop();
    await gateway.ended;
    cluster.refused = null;
    gateway.start(order, null);
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete' });
    expect(job().spec.activeDeadlineSeconds).toBeLessThanOrEqual(60);
  });

  it('that starts again ends the Jobs of claims that it has lost', async () => {
    const order = await words('echo begun; sleep 60');
    gateway.start(order);
    await begun();
    gateway.stop();
    await gateway.ended;
    gateway.beat = { state: 'lost', reason: 'superseded' };
    gateway.start(order, null);
    const gone = async () => expect([jobs(), cluster.table.list('secrets')]).toEqual([[], []]);
    await waitUntil(gone, { what: 'the Job is gone', deadlineMs: 30_000 });
    gateway.stop();
    await gateway.ended;
  });

  it('waits while the cluster is away, and finds what happened meanwhile', async () => {
    cluster.isAway = true;
    const asked = cluster.heard(/away/);
    gateway.start(await words(UNTIL_GATE()));
    await asked;
    cluster.isAway = false;
    await begun();
    cluster.isAway = true;
    cluster.cut();
    cluster.table.compact();
    await openGate();
    await cluster.jobs.processOf(pod().metadata.name)?.ended;
    cluster.isAway = false;
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete' });
  });

  it('reads its token again when Kubernetes has renewed it', async () => {
    const file = path.join(folder, 'token');
    cluster.token = 'first';
    await writeFile(file, 'first\n');
    gateway.start(await words(UNTIL_GATE(), '--kube-token-file', file));
    await begun();
    await writeFile(file, 'second\n');
    cluster.token = 'second';
    cluster.cut();
    await openGate();
    expect(await gateway.outcome()).toMatchObject({ kind: 'complete' });
  });
});

describe('a wrong template or command line', () => {
  const wrong = (change: JsonObject) => ({ ...template({}), ...change });
  it.each([
    [wrong({ kind: 'Pod' }), 'it is no Job of batch/v1'],
    [wrong({ spec: {} }), '/spec/template/spec/containers/0/name: it is missing'],
    [template({}, { serviceAccountName: '{% who %}' }), '/spec/template/spec/serviceAccountName'],
    [template({ env: [{ name: 'A', valueFrom: '{% x %}' }] }), '/env/0/valueFrom: parameters must'],
    [template({ image: '{% $steps.a.b %}' }), 'only parameters, $input and $task'],
    [template({ image: '{% 1 + %}' }), '/spec/template/spec/containers/0/image: '],
    [template({}, { restartPolicy: 'Always' }), 'restartPolicy: it is always "Never"'],
  ])('%j is refused', async (made, sentence) => {
    const { code, stderr } = await run(['worker', '--module', 'shop', ...(await words(made))]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it.each([
    [['--', 'true'], 'name no program'],
    [['--nice', '5'], '--nice is for programs'],
    [['--launcher', '-'], '"-" is no name of a launcher'],
    [['--namespace', 'a/b'], '"a/b" is no name of a namespace'],
    [['--kube-token-file', '/not/there'], '/not/there cannot be read: ENOENT'],
  ])('%j is refused', async (more, sentence) => {
    const order = ['worker', '--module', 'shop', ...(await words('true')), ...more];
    const { code, stderr } = await run(order);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('without a cluster is refused', async () => {
    const { code, stderr } = await run(
      ['worker', '--module', 'shop', '--command', 'charge', '--job-template', 'job.json'],
      { cwd: (await words('true')) && folder },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no cluster')]);
  });
});
