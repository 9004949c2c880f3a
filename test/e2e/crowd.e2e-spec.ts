import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { WHOLE_PROCESS } from '../linear/processor-time.js';
import { Api } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

/** Streams and waits at once; `CROWD=10000` is what the pages tell of. */
const CROWD = Number(process.env['CROWD'] ?? 400);
const STREAMS = CROWD / 5;
const WAITS = CROWD - STREAMS;
const MEASURED_S = '3';
const READERS = '8';

/** The least share of their answers that others keep in a crowd. */
const KEPT_MIN = 0.8;
/** A rate still too low after this number of looks was not lowered by a disturbance. */
const LOOKS_MAX = 8;

const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon');
const run = promisify(execFile);

/** The memory by which the process may grow: a base, and so much for each open stream or wait. */
const ROOM_KIB = 160 * 1_024;
const ROOM_EACH_KIB = 64;

jest.setTimeout(600_000);

const FLOWS = { holds: { steps: [{ name: 'w', wait: { signal: 'never', timeout: '1h' } }] } };

/** Backstep with many clients that hold on to it. */
class Crowd {
  private readonly open: http.ClientRequest[] = [];

  constructor(
    readonly backstep: AppProcess,
    readonly taskId: string,
  ) {}

  async ask<T>(path: string, body?: object): Promise<T> {
    const api = new Api(this.backstep.url);
    return (await api.ask<T>({ path, withinMs: 60_000, ...(body && { body }) })).body;
  }

  /** Begins a request on a connection of its own; resolves with the head of its answer. */
  begin(path: string, body?: object): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = body
        ? { 'content-type': 'application/json' }
        : { accept: 'text/event-stream' };
      const options = { method: body ? 'POST' : 'GET', agent: false, headers };
      const request = http.request(`${this.backstep.url}${path}`, options, resolve);
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
      this.open.push(request);
    });
  }

  /** Half of the streams tell of one task, and half of the changes of all. */
  stream(n: number): Promise<http.IncomingMessage> {
    return this.begin(n % 2 === 0 ? `/v1/tasks/${this.taskId}/events` : '/v1/events');
  }

  /** Everybody goes. */
  leave(): void {
    for (const request of this.open) request.destroy();
  }

  memoryKib(): number {
    const status = readFileSync(`/proc/${this.backstep.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  }

  /**
   * Requests of others that are answered in a second of the process's own processor time, so that
   * what else the machine does does not count; by a client without the crowd.
   */
  async rate(): Promise<number> {
    const url = `${this.backstep.url}/v1/tasks/${this.taskId}`;
    const argv = [AUTOCANNON, '-j', '-d', MEASURED_S, '-c', READERS, url];
    const before = this.spentMs();
    const { stdout } = await run(process.execPath, argv);
    const { '2xx': answered, non2xx } = JSON.parse(stdout) as Record<'2xx' | 'non2xx', number>;
    expect(non2xx).toBe(0);
    return Math.round((1_000 * answered) / (this.spentMs() - before));
  }

  /** The first rate that is as high as this, or the highest of many. */
  async rateOf(least: number): Promise<number> {
    let best = 0;
    for (let look = 0; look < LOOKS_MAX && best < least; look += 1) {
      best = Math.max(best, await this.rate());
    }
    return best;
  }

  private spentMs(): number {
    return WHOLE_PROCESS.spentMs(this.backstep.pid ?? 0) ?? Number.NaN;
  }
}

describe('a crowd of clients that wait', () => {
  const trial = new Trial('crowd');
  let crowd: Crowd;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const flows = await writeFlows(folder, FLOWS);
      const settings = { flows, log: 'warn', openPerClient: `${CROWD}` } as const;
      const backstep = await planStandalone({ folder, settings });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      const api = new Api(backstep.url);
      const body = { flow: 'holds' };
      const made = await api.ask<{ taskId: string }>({ path: '/v1/tasks', body });
      crowd = new Crowd(backstep, made.body.taskId);
    }),
  );
  afterAll(async () => {
    crowd?.leave();
    await trial.close();
  });

  trial.it('takes a bounded room, leaves others theirs, and one more is refused', async () => {
    await crowd.rate();
    const before = { rate: await crowd.rate(), memory: crowd.memoryKib() };
    let lost = 0;
    for (let n = 0; n < WAITS; n += 1) {
      crowd.begin('/v1/tasks?wait=300s', { flow: 'holds' }).catch(() => (lost += 1));
    }
    const total = async (): Promise<number> =>
      (await crowd.ask<{ total: number }>('/v1/tasks:count?by=status')).total;
    while ((await total()) < WAITS + 1) expect(lost).toBe(0);
    for (let n = 0; n < STREAMS; n += 1) expect((await crowd.stream(n)).statusCode).toBe(200);
    const wait = crowd.begin('/v1/tasks?wait=1s', { flow: 'holds' });
    for (const answer of [crowd.stream(0), crowd.stream(1), wait]) {
      const { headers, statusCode } = await answer;
      expect([statusCode, headers['retry-after']]).toEqual([429, '5']);
    }
    const rate = await crowd.rateOf(KEPT_MIN * before.rate);
    const during = { rate, memory: crowd.memoryKib() };
    console.log(`${STREAMS} streams and ${WAITS} waits`, { before, during });
    expect(lost).toBe(0);
    expect(during.rate / before.rate).toBeGreaterThanOrEqual(KEPT_MIN);
    expect(during.memory - before.memory).toBeLessThan(ROOM_KIB + CROWD * ROOM_EACH_KIB);
    expect((await fetch(`${crowd.backstep.url}/readyz`)).status).toBe(200);
    crowd.leave();
  });
});
