import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { type RunningProcess, startProcess } from '#nest';
import { loadSettings } from '#settings';
import { mutated } from '../../../test/fuzz/api-mutations.js';
import { soundRequests } from '../../../test/fuzz/api-requests.js';
import { ApiSession } from '../../../test/fuzz/api-session.js';
import { FUZZ_TIMEOUT_MS, fuzzBudget } from '../../../test/fuzz/budget.js';
import { HttpExchange } from '../../../test/fuzz/http-exchange.js';
import { ApiDocument } from '../../../test/fuzz/openapi.js';
import { standaloneProcess } from './standalone.process.js';

jest.setTimeout(FUZZ_TIMEOUT_MS);

/** Enough that every good answer is met. */
const SESSIONS = 100;

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
  typed: {
    input: {
      type: 'object',
      required: ['cpu'],
      properties: { cpu: { type: 'integer', minimum: 1 } },
    },
    steps: [{ name: 'a', normal: succeed }],
  },
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

/** Answers that need more than a request: a process that is not ready. */
const NOT_ASKED_FOR = ['ready 503'];

/** Every good answer that the document promises. */
function goodAnswers({ operations }: ApiDocument): readonly string[] {
  const all = operations.flatMap(({ operationId, responses }) => {
    const good = Object.entries(responses).filter(([, { content = {} }]) => {
      return content['application/problem+json'] === undefined;
    });
    return good.map(([status]) => `${operationId} ${status}`);
  });
  return all.filter((answer) => !NOT_ASKED_FOR.includes(answer));
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
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const session = new ApiSession(exchange, document);
        await session.open();
        for (const request of all) await session.play(request);
        for (const answer of session.met) met.add(answer);
      }),
      budget,
    );
    if (budget.numRuns < SESSIONS) return;
    expect(goodAnswers(document).filter((answer) => !met.has(answer))).toEqual([]);
  });
});
