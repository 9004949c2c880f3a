import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '#core';
import { type RunningProcess, startProcess } from '#process';
import { loadSettings } from '#settings';
import { mutated } from '../../../test/fuzz/api-mutations.js';
import { type ApiRequest, soundRequests } from '../../../test/fuzz/api-requests.js';
import { ApiSession } from '../../../test/fuzz/api-session.js';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { HttpExchange, type WireAnswer } from '../../../test/fuzz/http-exchange.js';
import {
  anyText,
  hostileObject,
  nestedObject,
  sizedObject,
  wellFormedText,
} from '../../../test/fuzz/hostile-values.js';
import { CHOOSY_INPUT } from '../../../test/fuzz/large-bodies.js';
import { ApiDocument } from '../../../test/fuzz/openapi.js';
import { standaloneProcess } from './standalone.process.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

const SESSIONS = 110;
/** Fewer would leave too many good answers to be asked for. */
const SESSIONS_MIN = 25;

/** Most sessions in which the operations are asked for whose good answers chance left out. */
const MORE_SESSIONS = 60;

const lab = (command: string, parameters: object = {}) => ({ module: 'lab', command, parameters });
const succeed = lab('succeed');
const fail = lab('fail', { kind: 'terminal' });
const FLOWS = {
  quick: [{ name: 'a', normal: succeed, rollback: succeed }],
  undone: [
    { name: 'a', normal: succeed, rollback: succeed },
    { name: 'b', normal: fail, rollback: succeed },
  ],
  stuck: [
    { name: 'a', normal: succeed, rollback: fail },
    { name: 'b', normal: fail },
  ],
  held: [
    {
      name: 'a',
      normal: { ...lab('again', { delay: '10m', times: 1_000 }), timeout: '24h' },
      rollback: succeed,
    },
  ],
  worked: [
    {
      name: 'a',
      normal: { module: 'worked', command: 'make' },
      rollback: { module: 'worked', command: 'drop' },
    },
  ],
  asked: [{ name: 'a', approve: { title: 'sure?' } }],
  typed: {
    input: {
      type: 'object',
      required: ['cpu'],
      properties: { cpu: { type: 'integer', minimum: 1 } },
    },
    steps: [{ name: 'a', normal: succeed }],
  },
  choosy: { input: CHOOSY_INPUT, steps: [{ name: 'a', normal: succeed }] },
};

let folder: string;
let running: RunningProcess;
let exchange: HttpExchange;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-api-'));
  const flows = path.join(folder, 'flows');
  await mkdir(flows);
  await writeFile(path.join(flows, 'flows.json'), JSON.stringify(FLOWS));
  const store = `sqlite:${path.join(folder, 'backstep.db')}`;
  const flags = { store, flows, http: '127.0.0.1:0', drain: '1s', log: 'silent', lab: 'on' };
  running = await startProcess(
    standaloneProcess,
    loadSettings({ mode: 'test', flags, cwd: folder }),
  );
  exchange = new HttpExchange(running.url);
});

afterAll(async () => {
  exchange?.close();
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function theDocument(): Promise<ApiDocument> {
  const asked = { method: 'GET', target: '/openapi.json', headers: {} };
  return new ApiDocument((await exchange.send(asked)).text);
}

/** Answers that need more: no console, built pages, a secret, two people, an identity provider. */
const NOT_ASKED_FOR = [
  'ready 503',
  'index 200',
  'guide 200',
  'guide 304',
  'decision 200',
  'decision 304',
  'completeRun 200',
  'completeRun 202',
  'approveOperation 200',
  'rejectOperation 200',
  // The id of a message follows from chance.
  'redeliver 200',
  // The stream is asked for by a type that the document does not name.
  'listEvents 204',
  'listLogs 204',
  'beginSignIn 302',
  'finishSignIn 302',
];
const WAITS_FOR_ANOTHER = /^\w+Task 202$/;

/** Every good answer that the document promises. */
function goodAnswers({ operations }: ApiDocument): readonly string[] {
  const all = operations.flatMap(({ operationId, responses }) => {
    const good = Object.entries(responses).filter(([, { content = {} }]) => {
      return content['application/problem+json'] === undefined;
    });
    return good.map(([status]) => `${operationId} ${status}`);
  });
  return all.filter((answer) => {
    return !NOT_ASKED_FOR.includes(answer) && !WAITS_FOR_ANOTHER.test(answer);
  });
}

/** The operations that promise these answers. */
function operationsOf({ operations }: ApiDocument, answers: readonly string[]) {
  const names = new Set(answers.map((answer) => answer.split(' ')[0]));
  return operations.filter(({ operationId }) => names.has(operationId));
}

// A rejection that nobody handles fails the test in which it happens.
describe('requests made up from the document', () => {
  it('are answered as it promises, sound ones and those with one thing changed', async () => {
    const document = await theDocument();
    const sound = soundRequests(document);
    const requests = fc.array(fc.oneof({ weight: 2, arbitrary: sound }, mutated(sound)), {
      minLength: 1,
      maxLength: 40,
      size: 'max',
    });
    const met = new Set<string>();
    const budget = fuzzBudget(SESSIONS);
    const play = async (all: readonly ApiRequest[]): Promise<void> => {
      const session = new ApiSession(exchange, document);
      await session.open();
      for (const request of all) await session.play(request);
      for (const answer of session.met) met.add(answer);
    };
    await fc.assert(fc.asyncProperty(requests, play), budget);
    if (budget.numRuns < SESSIONS_MIN) return;
    const missing = () => goodAnswers(document).filter((answer) => !met.has(answer));
    for (let n = 0; n < MORE_SESSIONS && missing().length > 0; n += 1) {
      const all = soundRequests(document, operationsOf(document, missing()));
      const more = fc.array(all, { minLength: 20, maxLength: 40 });
      const [session = []] = fc.sample(more, { numRuns: 1, seed: budget.seed + n });
      await play(session);
    }
    expect(missing()).toEqual([]);
  });
});

describe('the id of a request', () => {
  it('tells nothing of the process', async () => {
    const { headers } = await exchange.send({ method: 'GET', target: '/livez', headers: {} });
    const id = String(headers['x-request-id']);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
    expect(running.context.instance).not.toContain(id.slice(0, 8));
  });
});

/** Bytes of parameters that a task may have: the default of `BACKSTEP_MAX_PARAMETERS`. */
const PARAMETERS_MAX = 262_144;
/** Bytes around the output in the parameters. */
const AROUND = Buffer.byteLength('{"output":}');

const contents = fc.oneof(
  { weight: 20, arbitrary: hostileObject({ text: wellFormedText, without: ['__proto__'] }) },
  { weight: 5, arbitrary: hostileObject({ text: anyText }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 58, max: 64 }), fc.constantFrom<'list' | 'object'>('list', 'object'))
      .map(([depth, by]) => nestedObject(depth, by)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: -1, max: 1 }), fc.constantFrom('x', 'é', '😀'))
      .map(([more, filler]) => sizedObject(PARAMETERS_MAX - AROUND + more, filler)),
  },
);

/** Why a request with these parameters must be refused; null: it must not. */
function refusalOf(parameters: JsonObject): string | null {
  if (!isKept(parameters, 2)) return 'INVALID_REQUEST';
  const bytes = Buffer.byteLength(JSON.stringify(parameters));
  return bytes > PARAMETERS_MAX ? 'PAYLOAD_TOO_LARGE' : null;
}

/** By `docs/errors.md`: no `__proto__`, no half of a pair, at most 64 levels. */
function isKept(value: JsonValue | undefined, level: number): boolean {
  const isWhole = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);
  if (typeof value === 'string') return isWhole(value);
  if (typeof value !== 'object' || value === null) return true;
  const isFit = ([key, member]: [string, JsonValue | undefined]): boolean =>
    key !== '__proto__' && isWhole(key) && isKept(member, level + 1);
  return level <= 64 && Object.entries(value).every(isFit);
}

describe('any parameters', () => {
  it('come back from a command as they were sent, or are refused for what docs say', async () => {
    const met = { kept: 0, refused: 0 };
    const headers = { 'content-type': 'application/json' };
    const ask = async (method: string, target: string, body?: Buffer): Promise<WireAnswer> =>
      exchange.send({ method, target, headers, ...(body !== undefined && { body }) });
    const budget = fuzzBudget(600);
    await fc.assert(
      fc.asyncProperty(contents, async (output) => {
        const parameters = { output };
        const body = Buffer.from(JSON.stringify({ flow: 'quick', parameters }));
        const made = await ask('POST', '/v1/tasks?wait=1m', body);
        const task = JSON.parse(made.text) as EchoTask;
        const refusal = refusalOf(parameters);
        assert.equal(task.code ?? null, refusal, made.text.slice(0, 300));
        met[refusal === null ? 'kept' : 'refused'] += 1;
        if (refusal !== null) return;
        const read = await ask('GET', `/v1/tasks/${task.taskId}`);
        // The text of -0 is 0: what is read is held against what was written.
        const sent = JSON.parse(JSON.stringify(parameters)) as JsonObject;
        for (const { text } of [made, read]) {
          const { input: kept, status, steps } = JSON.parse(text) as EchoTask;
          assert.deepEqual(
            { kept, status, output: steps[0]?.output },
            { kept: sent, status: 'succeeded', output: sent['output'] },
          );
        }
      }),
      budget,
    );
    if (budget.numRuns >= 100) expect(Math.min(met.kept, met.refused)).toBeGreaterThan(10);
  });
});

interface EchoTask {
  readonly code?: string;
  readonly taskId: string;
  readonly status: string;
  readonly input: JsonObject;
  readonly steps: readonly { readonly output: JsonObject | null }[];
}
