import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TaskView } from '../../load/index.js';
import { isRefusal } from '../judge.js';
import type { Reproduction, Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const SIZE = { cpu: 1, memory: 2, storage: 3 };
const GHOST = { instance: 'ghost' };
const EVIL = 'evil.example:80';
const ONLY_TARGET = 'only-target';

/** A flow as people wrote them before flows had an input: whatever is sent joins the bag. */
const OPEN_CLUSTER = [
  { name: 'made', normal: { module: 'mysql', command: 'init_instance' } },
  { name: 'monitor', normal: { module: 'monitor', command: 'add_target' } },
];

/** Runs a task; null where the request was refused. */
async function runOrRefused(
  stand: Stand,
  flow: string,
  parameters: object,
): Promise<TaskView | null> {
  const path = '/v1/tasks?wait=15s';
  const reply = await stand.send({ path, body: { flow, parameters } });
  if (isRefusal(reply)) return null;
  assert.equal(reply.status, 201, reply.text.slice(0, 300));
  return JSON.parse(reply.text) as TaskView;
}

/** The targets that Prometheus is told to watch. */
function targets(stand: Stand): string {
  const folder = path.join(stand.data, 'targets');
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n');
}

async function endpointOf(stand: Stand): Promise<{ instance: string; endpoint: string }> {
  const task = await stand.api.run('create-db-cluster', SIZE);
  assert.equal(task.status, 'succeeded', JSON.stringify(task).slice(0, 400));
  const [member] = task.steps.flatMap(({ output }) => {
    const { endpoint, instance } = output ?? {};
    const one = typeof endpoint === 'string' ? [{ instance: String(instance), endpoint }] : [];
    const more = Object.values(output ?? {}).filter(isMember);
    return [...one, ...more];
  });
  assert.ok(member, 'the cluster tells no endpoint');
  return member;
}

function isMember(value: unknown): value is { instance: string; endpoint: string } {
  const { endpoint, instance } = (value ?? {}) as Record<string, unknown>;
  return typeof instance === 'string' && typeof endpoint === 'string';
}

const booking: Reproduction = {
  rule: 'a request cannot have room booked for an instance that nobody has made',
  sends: 'create-db-instance with x: {"instance": "ghost"}',
  play: async (stand) => {
    await runOrRefused(stand, 'create-db-instance', { ...SIZE, x: GHOST });
    const hosts = await stand.api.get<object>('/modules/resource/hosts');
    assert.doesNotMatch(JSON.stringify(hosts), /ghost/);
  },
};

const replacing = (flow: string): Reproduction => ({
  rule: `a request cannot have what Prometheus watches replaced: ${flow}`,
  sends: `${flow} with x: the instance of another task, and an endpoint of one's own`,
  play: async (stand) => {
    const { endpoint, instance } = await endpointOf(stand);
    assert.ok(targets(stand).includes(endpoint), 'it is not watched');
    const x = { instance, endpoint: EVIL };
    await runOrRefused(stand, flow, { ...SIZE, x, ...(flow === ONLY_TARGET && x) });
    const watched = targets(stand);
    assert.ok(watched.includes(endpoint), 'the other one is watched no more');
    if (flow === 'create-db-cluster') assert.doesNotMatch(watched, /evil\.example/);
  },
});

const labelling = (flow: string): Reproduction => ({
  rule: `a request cannot give Prometheus labels that mean something: ${flow}`,
  sends: `${flow} with targetLabels {"__metrics_path__": ...}, {"job": ...}, {"instance": ...}`,
  play: async (stand) => {
    for (const name of ['__metrics_path__', '__address__', 'job', 'instance']) {
      const targetLabels = { [name]: '/latest/meta-data' };
      const own = { instance: 'mine', endpoint: '10.0.0.1:80' };
      const parameters = { ...SIZE, ...(flow === ONLY_TARGET && own), targetLabels };
      await runOrRefused(stand, flow, parameters);
      assert.doesNotMatch(targets(stand), /meta-data/, name);
    }
  },
});

const speaking: Reproduction = {
  rule: 'a request cannot speak to the operators in the name of a step',
  sends: 'create-db-instance that fits nowhere, with message and severity',
  play: async (stand) => {
    const words = 'all is well, go home';
    const parameters = { ...SIZE, cpu: 900_000_000, message: words, severity: 'info' };
    const task = await runOrRefused(stand, 'create-db-instance', parameters);
    if (task === null) return;
    const page = await stand.api.get<object>('/modules/monitor/events');
    assert.ok(!JSON.stringify(page).includes(words), 'it was written down');
    assert.ok(!stand.process.log.includes(words), 'it was logged');
  },
};

const UNDECLARED: Reproduction = {
  rule: 'a flow that says what it takes takes nothing else',
  sends: 'each flow that comes along, with a member it does not declare',
  play: async (stand) => {
    for (const flow of ['create-db-instance', 'create-db-cluster']) {
      const body = { flow, parameters: { ...SIZE, undeclared: 1 } };
      const reply = await stand.send({ path: '/v1/tasks', body });
      assert.equal(reply.status, 422, `${flow}: ${reply.status} ${reply.text.slice(0, 200)}`);
      assert.match(reply.text, /undeclared/);
    }
  },
};

const reserved: Reproduction = {
  rule: 'a name that means something to a server or a file system is no name of an instance',
  sends: 'create-db-instance with the instances PUBLIC, CON, mysql, information_schema, root',
  play: async (stand) => {
    for (const instance of ['PUBLIC', 'CON', 'mysql', 'information_schema', 'root']) {
      const task = await runOrRefused(stand, 'create-db-instance', { ...SIZE, instance });
      const status = task?.status ?? 'refused';
      assert.ok(['refused', 'rolled_back'].includes(status), `${instance}: ${status}`);
    }
  },
};

/** Requests that hold what only a step should say. */
export const playedSteps: Subject = {
  name: 'played steps',
  flows: {
    [ONLY_TARGET]: [{ name: 'monitor', normal: { module: 'monitor', command: 'add_target' } }],
    'open-cluster': OPEN_CLUSTER,
  },
  reproductions: [
    booking,
    ...['create-db-cluster', 'open-cluster', ONLY_TARGET].map(replacing),
    ...['create-db-cluster', 'open-cluster', ONLY_TARGET].map(labelling),
    speaking,
    UNDECLARED,
    reserved,
  ],
};
