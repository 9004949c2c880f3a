import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, jest } from '@jest/globals';
import { importFlow } from '#workshop/import';
import { untilTask } from '../ledger/index.js';
import type { TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { FlowStage } from './flow-stage-spec.js';

jest.setTimeout(240_000);

const INPUT = { properties: { server: { type: 'string' }, item: { type: 'string' } } };
const at = (path: string): string => `{% server & '${path}' %}`;

function request(name: string, line: string, more: object = {}) {
  const [method = '', path = ''] = line.split(' ');
  const normal = {
    module: 'http',
    command: 'request',
    parameters: { method, url: at(path), ...more },
  };
  return { name, normal, rollback: null };
}

function undone(name: string, path: string) {
  const forward = request(name, `PUT ${path}`, { body: { days: 2 } });
  const parameters = { method: 'DELETE', url: at(path), body: null };
  return { ...forward, rollback: { module: 'http', command: 'request', parameters } };
}

const FAIL = { name: 'end', fail: { code: 'TOLD', message: 'told to fail' } };
const THREE = [
  request('a', 'GET /a'),
  request('b', 'POST /b'),
  request('c', 'GET /c', { headers: { 'x-token': '{% $steps.a.body.path %}' } }),
];

const DYNAMIC = ['x', 'y'].map((name) => {
  const method = name === 'x' ? 'GET' : 'POST';
  const parameters = `{"method": "${method}", "url": server & "/${name}"}`;
  return `{"name": "${name}", "normal": {"module": "http", "command": "request", "parameters": ${parameters}}}`;
});

const FLOWS = {
  three: { input: INPUT, steps: THREE, output: { a: '{% $steps.a %}', c: '{% c.status %}' } },
  back: { input: INPUT, steps: [undone('one', '/one'), undone('body', '/two'), FAIL] },
  rounds: {
    input: INPUT,
    output: '{% $steps.polls.rounds %}',
    steps: [
      {
        name: 'polls',
        loop: {
          max: 9,
          steps: [request('poll', 'POST /poll')],
          until: '{% $steps.poll.body.count >= 3 %}',
        },
      },
    ],
  },
  items: {
    input: INPUT,
    steps: [
      {
        name: 'each',
        foreach: {
          in: ['p', 'q'],
          as: 'item',
          steps: [undone('put', '/item'), request('look', 'POST /look')],
        },
      },
      FAIL,
    ],
  },
  tries: {
    input: INPUT,
    steps: [
      { name: 'g', group: [undone('one', '/one'), request('two', 'POST /second-time')], retry: 1 },
      request('after', 'POST /after'),
    ],
  },
  human: {
    input: INPUT,
    steps: [
      request('ask', 'POST /ask'),
      { name: 'body', wait: { signal: 'answer' } },
      request('tell', 'POST /tell', { headers: { 'x-said': '{% body.said %}' } }),
    ],
  },
  data: {
    input: INPUT,
    // The check of steps that are data has a limit, which a machine under load may reach.
    steps: [
      {
        name: 'g',
        group: [{ name: 'd', dynamic: { steps: `{% [${DYNAMIC.join(', ')}] %}` } }],
        retry: 5,
      },
    ],
  },
  child: {
    input: INPUT,
    steps: [
      request('before', 'GET /before'),
      { name: 'c', flow: { name: 'three', parameters: '{% $ %}' } },
    ],
  },
  refused: { input: INPUT, steps: [undone('no', '/no')] },
  stubborn: { input: INPUT, steps: [undone('one', '/stubborn'), FAIL] },
};

const IMPORTED = importFlow({
  from: 'conductor',
  name: 'imported',
  definition: {
    name: 'imported',
    inputParameters: ['server'],
    tasks: ['first', 'second'].map((name) => ({
      name,
      taskReferenceName: name,
      type: 'HTTP',
      inputParameters: {
        http_request: {
          uri: '${workflow.input.server}/' + name,
          method: name === 'first' ? 'GET' : 'POST',
        },
      },
    })),
    outputParameters: { path: '${first.output.response.body.path}' },
  },
}).flow;

/** The flow of the page, with the test's server in place of its own, and a last step that fails. */
function documented(): object {
  const page = readFileSync(new URL('../../docs/http-requests.md', import.meta.url), 'utf8');
  const [, text = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
  const flows = JSON.parse(text.replaceAll("'https://rooms.example", "server & '")) as {
    'reserve-room': { input: { properties: object }; steps: object[] };
  };
  const flow = flows['reserve-room'];
  const input = { ...flow.input, properties: { ...flow.input.properties, server: {} } };
  return { 'reserve-room': { ...flow, input, steps: [...flow.steps, FAIL] } };
}

interface Asked {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const asked: Asked[] = [];
const seen = new Map<string, number>();

/** Answers every request as ordinary servers do: with cookies, and an encoded body. */
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const { headers, method, url = '' } = incoming;
    const line = `${method} ${url}`;
    asked.push({ line, headers, body: String(Buffer.concat(chunks)) });
    const count = (seen.get(url) ?? 0) + 1;
    seen.set(url, count);
    const isStubborn = line === 'DELETE /stubborn' && headers['x-fix'] === undefined;
    const isEarly = url === '/second-time' && count === 1;
    outgoing.writeHead(isStubborn || isEarly ? 409 : 200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'set-cookie': 'sid=1',
      'x-secret-of-a': 'internal',
    });
    outgoing.end(gzipSync(JSON.stringify({ path: url, count })));
  });
});

let origin = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  // No answer has become a part of a request.
  for (const { body, headers, line } of asked) {
    expect([line, headers['x-secret-of-a'], headers['set-cookie']]).toEqual([
      line,
      undefined,
      undefined,
    ]);
    expect([line, body]).toEqual([line, line.startsWith('PUT') ? '{"days":2}' : '']);
  }
  asked.splice(0);
  seen.clear();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const lines = (): readonly string[] => asked.map(({ line }) => line);

function tests(stage: FlowStage): void {
  const run = (flow: string, more: object = {}): Promise<TaskView> => {
    return stage.api.run(flow, { server: origin, ...more });
  };

  stage.it('stand under the names of their steps, three in a row', async () => {
    const task = await run('three');
    expect(task.status).toBe('succeeded');
    const a = { status: 200, body: { path: '/a', count: 1 } };
    expect(task).toMatchObject({ output: { a, c: 200 }, parameters: { server: origin, a } });
    expect(lines()).toEqual(['GET /a', 'POST /b', 'GET /c']);
    expect(asked[2]?.headers['x-token']).toBe('/a');
  });

  stage.it('are undone by requests, also in the example of the page', async () => {
    expect((await run('back')).status).toBe('rolled_back');
    expect(lines()).toEqual(['PUT /one', 'PUT /two', 'DELETE /two', 'DELETE /one']);
    expect((await run('reserve-room', { room: 'r1' })).status).toBe('rolled_back');
    expect(lines().slice(4)).toEqual(['PUT /v1/holds/r1', 'DELETE /v1/holds/r1']);
  });

  stage.it('follow each other in rounds', async () => {
    expect(await run('rounds')).toMatchObject({ status: 'succeeded', output: 3 });
    expect(lines()).toEqual(['POST /poll', 'POST /poll', 'POST /poll']);
  });

  stage.it('are sent and undone by child tasks', async () => {
    expect((await run('items')).status).toBe('rolled_back');
    const sent = ['PUT /item', 'PUT /item', 'POST /look', 'POST /look'];
    expect(lines().toSorted()).toEqual(['DELETE /item', 'DELETE /item', ...sent].toSorted());
    expect((await run('child')).status).toBe('succeeded');
    expect(lines().slice(6)).toEqual(['GET /before', 'GET /a', 'POST /b', 'GET /c']);
  });

  stage.it('are undone before the next try of a group', async () => {
    expect((await run('tries')).status).toBe('succeeded');
    const again = ['PUT /one', 'POST /second-time', 'POST /after'];
    expect(lines()).toEqual(['PUT /one', 'POST /second-time', 'DELETE /one', ...again]);
  });

  stage.it('follow a signal, also where its step is called as a parameter is', async () => {
    const { taskId } = await stage.api.run('human', { server: origin }, '0');
    await stage.api.act(taskId, 'signal', { name: 'answer', payload: { said: 'yes' } });
    expect((await untilTask(stage.api, taskId)).status).toBe('succeeded');
    expect(asked.map(({ headers, line }) => [line, headers['x-said']])).toEqual([
      ['POST /ask', undefined],
      ['POST /tell', 'yes'],
    ]);
  });

  stage.it('may be steps that are data, or imported', async () => {
    expect((await run('data')).status).toBe('succeeded');
    expect(await run('imported')).toMatchObject({
      status: 'succeeded',
      output: { path: '/first' },
    });
    expect(lines()).toEqual(['GET /x', 'POST /y', 'GET /first', 'POST /second']);
  });

  stage.it('are not undone if they were refused before they left', async () => {
    const task = await stage.api.run('refused', { server: 'http://127.0.0.2:9' });
    expect(task).toMatchObject({ status: 'rolled_back', lastError: { code: 'ADDRESS_REFUSED' } });
    expect(task.steps[0]).toMatchObject({ rollback: { attempts: 0 } });
  });

  stage.it('take the parameters with which a person retries their undo', async () => {
    const task = await run('stubborn');
    expect(task.status).toBe('rollback_failed');
    const parameters = { headers: { 'x-fix': 'yes' } };
    await stage.api.act(task.taskId, 'retry', { reason: 'it wants a header', parameters });
    await untilTask(stage.api, task.taskId, ({ status }) => status === 'rolled_back');
    const writers = await stage.api.get<Record<string, readonly object[]>>(
      `/v1/tasks/${task.taskId}/provenance`,
    );
    const last = { value: { 'x-fix': 'yes' }, writer: { kind: 'person' } };
    expect(writers['headers']?.at(-1)).toMatchObject(last);
  });
}

describe.each(DEPLOYMENTS.filter(({ kind }) => kind !== 'independent'))('$kind', (deployment) => {
  const { kind, servers } = deployment;
  describeWith(`requests of a ${kind} Backstep`, { servers, own: true }, () => {
    const settings = { httpAllow: '127.0.0.1' };
    const stage = new FlowStage(kind, { settings, executors: { http: 1 } });
    const flows = { ...FLOWS, ...IMPORTED, ...documented() };
    stage.prepare([{ name: 'requests', flows, tests }]);
    tests(stage);
  });
});
