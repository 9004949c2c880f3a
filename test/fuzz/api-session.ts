import assert from 'node:assert/strict';
import type { ApiRequest } from './api-requests.js';
import { LAST_CURSOR, MADE_BEFORE } from './api-samples.js';
import { type Exchanged, judgeAnswer } from './api-oracle.js';
import type { HttpExchange, WireAnswer, WireRequest } from './http-exchange.js';
import type { ApiDocument } from './openapi.js';

/** An id that no task has, and a claim that nobody made. */
const NOBODY = { task: '00000000-0000-7000-8000-000000000000', claim: 'bsw_a.b' };
/** Actions that a session takes as a worker before its first request. */
const CLAIMS = 7;

/** The first tasks of a session: one in each state that an action of a person is about. */
const FIRST_TASKS = ['held', 'stuck', 'stuck', 'undone', 'quick', 'paused', 'asked'];

/** Sends requests one after another; what an answer gave is used by those after it. */
export class ApiSession {
  readonly #made = { task: [] as string[], claim: [] as string[] };
  /** Which operation was answered with which status. */
  readonly met = new Set<string>();
  #cursor = '';

  constructor(
    private readonly exchange: HttpExchange,
    private readonly document: ApiDocument,
  ) {}

  /** Makes what the first requests are about. */
  async open(): Promise<void> {
    const schedule = { flow: 'quick', every: '8000h', paused: false };
    await this.#put('/v1/schedules/put-1', schedule);
    const channel = { type: 'webhook', url: 'http://127.0.0.1:9/in' };
    await this.#put('/v1/notifications/put-1', { on: ['failed'], channel });
    await this.#put('/v1/commands/lab/flaky', { description: 'works now and then' });
    for (const state of FIRST_TASKS) {
      const flow = state === 'paused' ? 'held' : state;
      const answer = await this.#post(
        `/v1/tasks?wait=${['held', 'asked'].includes(flow) ? '0' : '1m'}`,
        { flow },
      );
      assert.equal(answer.status, 201, answer.text);
      const taskId = taskIdOf(answer);
      this.#made.task.push(taskId);
      if (state !== 'paused') continue;
      const paused = await this.#post(`/v1/tasks/${taskId}:pause`, { reason: 'for later' });
      assert.equal(paused.status, 200, paused.text);
    }
    await this.#claim();
  }

  /** Takes actions, each of a task of its own. */
  async #claim(): Promise<void> {
    const poll = { worker: 'fuzz:claims', module: 'worked', max: CLAIMS, lease: '10m' };
    // No task is taken of a module that nobody has ever served.
    await this.#post('/v1/work:poll', { ...poll, wait: '0' });
    for (let n = 0; n < CLAIMS; n += 1) {
      const { status, text } = await this.#post('/v1/tasks', { flow: 'worked' });
      assert.equal(status, 201, text);
    }
    while (this.#made.claim.length < CLAIMS) {
      const { status, text } = await this.#post('/v1/work:poll', poll);
      assert.equal(status, 200, text);
      const { items } = JSON.parse(text) as { items: readonly { readonly claim: string }[] };
      this.#made.claim.push(...items.map(({ claim }) => claim));
    }
  }

  async #put(target: string, value: object): Promise<void> {
    const answer = await this.#send('PUT', target, value);
    assert.ok(answer.status < 300, answer.text);
  }

  #post(target: string, value: object): Promise<WireAnswer> {
    return this.#send('POST', target, value);
  }

  #send(method: 'POST' | 'PUT', target: string, value: object): Promise<WireAnswer> {
    const body = Buffer.from(JSON.stringify(value));
    const headers = { 'content-type': 'application/json' };
    return this.exchange.send({ method, target, headers, body });
  }

  /** Sends a request and judges what is answered. */
  async play(request: ApiRequest): Promise<void> {
    const wire = this.#wireOf(request);
    const before = await this.#newestTask();
    const answer = await this.exchange.send(wire);
    judgeAnswer(this.document, { request, wire, answer });
    this.#learn(request, answer);
    if (answer.status >= 400) {
      assert.equal(await this.#newestTask(), before, 'a refused request made a task');
    }
    if (isTask(answer)) await this.#repeat({ request, wire, answer });
  }

  /** With its key, the same request gives the same task; without one, it is not repeated. */
  async #repeat({ answer: first, request, wire }: Exchanged): Promise<void> {
    const { idempotencyKey } = JSON.parse(String(wire.body)) as { idempotencyKey?: string };
    if (idempotencyKey === undefined && wire.headers['Idempotency-Key'] === undefined) return;
    const second = await this.exchange.send(wire);
    judgeAnswer(this.document, { request, wire, answer: second });
    this.#learn(request, second);
    assert.equal(second.status, 200, second.text);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(taskIdOf(second), taskIdOf(first));
  }

  #learn({ method, operation }: ApiRequest, answer: WireAnswer): void {
    if (isTask(answer)) this.#made.task.push(taskIdOf(answer));
    if (method === operation.method) this.met.add(`${operation.operationId} ${answer.status}`);
    const isList = operation.operationId === 'listTasks' && method === operation.method;
    if (!isList || answer.status !== 200) return;
    const { page } = JSON.parse(answer.text) as { page: { nextCursor: string | null } };
    this.#cursor = page.nextCursor ?? this.#cursor;
  }

  #wireOf({ body, headers, method, operation, path, query }: ApiRequest): WireRequest {
    const where = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      return encodeURIComponent(this.#valueOf(path[name] ?? ''));
    });
    const pairs = query
      .map(([name, value]) => [name, value === LAST_CURSOR ? this.#cursor : value] as const)
      .filter(([name, value]) => name !== 'cursor' || value !== '')
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    const target = pairs.length === 0 ? where : `${where}?${pairs.join('&')}`;
    return { method, target, headers, ...(body !== undefined && { body: this.#bodyOf(body) }) };
  }

  /** Byte by byte: a body may be no text at all. */
  #bodyOf(body: Buffer): Buffer {
    const filled = body
      .toString('latin1')
      .replaceAll(/"(claim:\d+)"/g, (_all, value: string) => `"${this.#valueOf(value)}"`);
    return Buffer.from(filled, 'latin1');
  }

  #valueOf(value: string): string {
    const [, kind, place] = MADE_BEFORE.exec(value) ?? [];
    if (kind !== 'task' && kind !== 'claim') return value;
    return this.#made[kind][Number(place)] ?? NOBODY[kind];
  }

  async #newestTask(): Promise<string | undefined> {
    const target = '/v1/tasks?limit=1';
    const { text } = await this.exchange.send({ method: 'GET', target, headers: {} });
    const { items } = JSON.parse(text) as { items: readonly { readonly taskId: string }[] };
    return items[0]?.taskId;
  }
}

/** Whether a task was made, and not something else. */
function isTask({ status, text }: WireAnswer): boolean {
  return status === 201 && 'taskId' in (JSON.parse(text) as object);
}

function taskIdOf({ text }: WireAnswer): string {
  return (JSON.parse(text) as { taskId: string }).taskId;
}
