import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { isAt, untilTask } from '../ledger/index.js';
import { Api, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type Deployment, DEPLOYMENTS, planStandalone, startDeployment } from '../stack/index.js';
import {
  LOADED_FILE,
  type LoadedModule,
  PRELOAD,
  type ReceivedSpan,
  SpanReceiver,
} from '../tracing/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

/** `before` can be undone, `slow` is killed in the middle, `fail` turns the task round. */
const FLOWS = {
  'seen-story': [
    {
      name: 'before',
      normal: { module: 'lab', command: 'effect', parameters: { name: 'before' } },
      rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'before' } },
    },
    { name: 'slow', normal: { module: 'lab', command: 'sleep', parameters: { ms: 3_000 } } },
    { name: 'fail', normal: { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } } },
  ],
  'seen-call': [
    {
      name: 'call',
      normal: { module: 'http', command: 'request', parameters: { method: 'GET', url: 'URL' } },
    },
  ],
};

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

jest.setTimeout(240_000);

/** Starts a task as a part of the caller's trace. */
async function begin(api: Api, flow: string, headers = {}): Promise<string> {
  const ask = { path: '/v1/tasks', body: { flow, parameters: {} }, headers };
  const { body, status } = await api.ask<TaskView>(ask);
  expect(status).toBe(201);
  return body.taskId;
}

const isEnd = ({ name }: ReceivedSpan): boolean => name.startsWith('end ');

/** Expects a span for each attempt, linked, in the trace of the caller; returns the attempts. */
function expectStory(spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  const told = spans.filter(({ name }) => name.startsWith('process '));
  expect(
    told.map(({ attributes, isError }) => [...MEMBERS.map((name) => attributes[name]), isError]),
  ).toEqual([
    ['effect', 'normal', 1, 'succeeded', false],
    ['sleep', 'normal', 1, 'lease_lost', true],
    ['sleep', 'normal', 2, 'succeeded', false],
    ['fail', 'normal', 1, 'failed', true],
    ['undo_effect', 'rollback', 1, 'succeeded', false],
  ]);
  const start = spans.find(({ name }) => name === 'start seen-story');
  expect(start).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
  for (const span of spans) {
    expect(span.traceId).toBe(TRACE);
    if (span !== start) expect(span.parentSpanId).toBe(start?.spanId);
  }
  const [effect, lost, again] = told;
  const links = told.map((span) => span.links.map(({ relation, spanId }) => [relation, spanId]));
  expect(links).toEqual([
    [],
    [['follows', effect?.spanId]],
    [['retry_of', lost?.spanId]],
    [['follows', again?.spanId]],
    [['undoes', effect?.spanId]],
  ]);
  expect(told[3]?.attributes).toMatchObject({
    'backstep.step': 'fail',
    'backstep.flow': 'seen-story',
    'backstep.flow.version': expect.anything(),
    'messaging.destination.name': 'backstep.lab',
  });
  return told;
}

const MEMBERS = ['command', 'direction', 'attempt', 'outcome'].map((name) => `backstep.${name}`);

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`the trace of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`tracing-${kind}`);
    let backstep: Deployment;
    let receiver: SpanReceiver;
    let api: Api;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const { folder } = trial;
        receiver = trial.use(await SpanReceiver.open());
        const flows = await writeFlows(folder, { 'seen-story': FLOWS['seen-story'] });
        const settings = { flows, log: 'debug', ...WAITS.followSoon };
        const { environment } = receiver;
        backstep = trial.use(await startDeployment(kind, { folder, settings, environment }));
        api = new Api(backstep.url);
      }),
    );
    afterAll(() => trial.close());

    trial.it('tells one story of a task whose process is killed and that goes back', async () => {
      const traceparent = `00-${TRACE}-${CALLER}-01`;
      const taskId = await begin(api, 'seen-story', { traceparent });
      await receiver.until(taskId, ({ name }) => name === 'process lab.effect');
      await untilTask(api, taskId, isAt('slow'));
      const victim = backstep.processOf('lab');
      await victim.restart();
      expect((await untilTask(api, taskId)).status).toBe('rolled_back');
      const spans = await receiver.until(taskId, isEnd);

      const told = expectStory(spans);
      expect(told.at(-1)?.attributes).toMatchObject({
        'messaging.system': kind === 'standalone' ? 'memory' : 'rabbitmq',
      });
      const service = kind === 'standalone' ? 'backstep-standalone' : 'backstep-lab';
      expect(told.at(-1)?.resource).toMatchObject({ 'service.name': service });
    });

    trial.it('has the number of its task where its request was part of none', async () => {
      const taskId = await begin(api, 'seen-story');
      const [start] = await receiver.until(taskId, ({ name }) => name === 'start seen-story');
      expect(start).toMatchObject({ traceId: taskId.replaceAll('-', ''), parentSpanId: '' });
    });

    trial.it('is not recorded where the request says so', async () => {
      const unwanted = await begin(api, 'seen-story', { traceparent: `00-${TRACE}-${CALLER}-00` });
      const wanted = await begin(api, 'seen-story', { traceparent: `00-${TRACE}-${CALLER}-01` });
      await untilTask(api, unwanted);
      await untilTask(api, wanted);
      await receiver.until(wanted, isEnd);
      expect(receiver.of(unwanted)).toEqual([]);
    });

    trial.it('is named in the lines of the log', async () => {
      const taskId = await begin(api, 'seen-story');
      await untilTask(api, taskId);
      const logs = await Promise.all(backstep.processes.map(({ logFile }) => readFile(logFile)));
      const lines = logs.flatMap((log) => log.toString().split('\n'));
      const own = lines.filter((line) => line.includes(taskId) && line.includes('"event":"turned'));
      expect(own.length).toBeGreaterThan(0);
      for (const line of own) {
        expect(JSON.parse(line)).toMatchObject({ trace_id: taskId.replaceAll('-', '') });
      }
    });
  });
});

describe('a standalone process', () => {
  const trial = new Trial('tracing-process');
  let receiver: SpanReceiver;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      receiver = trial.use(await SpanReceiver.open());
    }),
  );
  afterAll(() => trial.close());

  /** Runs a task to its end, stops the process, and lists what it had loaded of OpenTelemetry. */
  async function loadedBy(name: string, own: Readonly<Record<string, string>>): Promise<string[]> {
    const folder = path.join(trial.folder, name);
    const list = path.join(trial.folder, `${name}.json`);
    const call = JSON.parse(JSON.stringify(FLOWS).replace('URL', receiver.url)) as typeof FLOWS;
    const app = await planStandalone({
      folder,
      environment: { ...own, NODE_OPTIONS: PRELOAD, [LOADED_FILE]: list },
      // A bundle has no modules whose names tell where they come from.
      isBundled: false,
      settings: { flows: await writeFlows(trial.folder, call), httpAllow: '127.0.0.1' },
    });
    trial.use({ stop: () => app.kill() });
    await app.start();
    const task = await new Api(app.url).run('seen-call');
    expect(task.status).toBe('succeeded');
    await app.terminate();
    const all = JSON.parse(await readFile(list, 'utf8')) as readonly LoadedModule[];
    expect(all.some((one) => one.name.includes('node_modules/pino/'))).toBe(true);
    const loaded = all.filter((one) => one.name.includes('@opentelemetry'));
    // The library of the metrics loads the API, which is nothing but interfaces without an SDK.
    const ours = loaded.filter(
      ({ by }) => !/node_modules\/(prom-client|@opentelemetry\/api)\//.test(by ?? ''),
    );
    return ours.map((one) => one.name);
  }

  trial.it('loads nothing of OpenTelemetry where nobody asked for traces', async () => {
    expect(await loadedBy('off', {})).toEqual([]);
    expect(await loadedBy('none', { ...receiver.environment, OTEL_SDK_DISABLED: 'true' })).toEqual(
      [],
    );
    expect(receiver.spans).toEqual([]);
  });

  trial.it(
    'hands the span of an attempt to what its command calls, and sends all at its end',
    async () => {
      receiver.asked.length = 0;
      // The spans wait for the end of the process: the flush sends them.
      const environment = { ...receiver.environment, OTEL_BSP_SCHEDULE_DELAY: '600000' };
      const loaded = await loadedBy('on', { ...environment, OTEL_SERVICE_NAME: 'shop' });
      expect(loaded.length).toBeGreaterThan(0);
      const call = receiver.spans.find(({ name }) => name === 'process http.request');
      expect(call?.resource).toMatchObject({ 'service.name': 'shop' });
      const traceparent = `00-${call?.traceId}-${call?.spanId}-01`;
      expect(receiver.asked.map((headers) => headers['traceparent'])).toEqual([traceparent]);
    },
  );

  trial.it('runs without traces where the backend is away, and ends in time', async () => {
    const away = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    expect(await loadedBy('away', away)).not.toEqual([]);
  });
});
