import { expect } from '@jest/globals';
import { ManualClock, settle } from '#testing';
import type { WorkAnswer, WorkConnection, WorkRequest } from './connection.js';
import type { WorkItem } from './protocol.js';
import { type Handler, Worker, type WorkerOptions } from './worker.js';

/** A request that was sent, and the ways to answer it. */
interface Asked {
  readonly request: WorkRequest;
  readonly body: Readonly<Record<string, unknown>>;
  /** On the clock of the test. */
  readonly at: number;
  answer(body?: object, status?: number, retryAfterMs?: number): void;
  /** The connection breaks. */
  break(): void;
}

/** A connection whose other end is the test. */
export class ScriptedGateway implements WorkConnection {
  readonly clock = new ManualClock();
  readonly asked: Asked[] = [];
  readonly said: string[] = [];
  readonly stop = new AbortController();

  send(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('the connection broke'));
      signal.addEventListener('abort', fail, { once: true });
      expect(Number.isInteger(request.timeoutMs)).toBe(true);
      this.clock.after(request.timeoutMs, fail);
      this.asked.push({
        request,
        body: (request.body ?? {}) as Readonly<Record<string, unknown>>,
        at: this.clock.monotonic(),
        answer: (body = {}, status = 200, retryAfterMs) => {
          signal.removeEventListener('abort', fail);
          resolve({ status, retryAfterMs: retryAfterMs ?? null, body: body as WorkAnswer['body'] });
        },
        break: fail,
      });
    });
  }

  /** Starts a worker that is registered, and resolves to its first poll. */
  async start(handle: Handler, options: Partial<WorkerOptions> = {}): Promise<Asked> {
    const ended = this.run(handle, options);
    void ended.catch(() => {});
    (await this.next('PUT')).answer({ heartbeatMs: 10_000 });
    return this.next('poll');
  }

  /** Runs a worker until it ends. */
  run(handle: Handler, options: Partial<WorkerOptions> = {}): Promise<void> {
    const { clock, said } = this;
    let ids = 0;
    const entropy = { newId: () => `id-${(ids += 1)}`, idOf: (text: string) => text };
    const worker = new Worker({
      modules: { shop: { charge: {} } },
      handle,
      slots: 2,
      connection: this,
      clock,
      entropy: { ...entropy, random: () => 1 },
      say: (line) => void said.push(line),
      ...options,
    });
    return worker.run(this.stop.signal);
  }

  /** Takes the first request of a kind that was not taken yet. */
  async next(kind: string): Promise<Asked> {
    for (let turns = 0; turns < 100; turns += 1) {
      await settle();
      const index = this.asked.findIndex(({ request }) => request.at.includes(kind));
      if (index !== -1) return this.asked.splice(index, 1)[0]!;
    }
    throw new Error(`no request of ${kind}`);
  }

  /** The kinds of requests that nobody has taken. */
  async waiting(): Promise<readonly string[]> {
    await settle();
    return this.asked.map(({ request }) => request.at.replace(/^.*[:/]/, ''));
  }
}

/** An item as the gateway gives it. */
export function itemOf(item: Partial<WorkItem> = {}): WorkItem {
  return {
    claim: 'claim-1',
    taskId: 'task-1',
    flow: 'order',
    step: 'charge',
    run: 'charge',
    direction: 'normal',
    module: 'shop',
    command: 'charge',
    parameters: {},
    labels: {},
    results: {},
    attempt: 1,
    idempotencyKey: 'key',
    forwardKey: 'key',
    fencingToken: 1,
    completionToken: 'token',
    leaseMs: 15_000,
    waitedMs: 0,
    timeLeftMs: 600_000,
    attemptTimeLeftMs: 600_000,
    confirm: false,
    traceparent: null,
    ...item,
  };
}
