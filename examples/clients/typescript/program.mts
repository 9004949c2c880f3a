import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './backstep.js';

type CreateTask = components['schemas']['CreateTask'];
type Problem = components['schemas']['Problem'];

const key = process.env['BACKSTEP_KEY'];
const client = createClient<paths>({
  baseUrl: process.env['BACKSTEP_URL'] ?? 'http://127.0.0.1:7070',
  headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
});

/** An answer that is a problem: `problem.code` says which. */
class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

/** An answer of the client: its data, or the problem; and the response that it came with. */
interface Answer<T> {
  readonly data?: T;
  readonly error?: Problem;
  readonly response: Response;
}

/** The data of an answer. Asks again after a 429, a 503 or a lost connection, five times at most. */
async function ask<T>(request: () => Promise<Answer<T>>): Promise<T> {
  for (let left = 5; ; left--) {
    const answer = await request().catch((error: unknown) => {
      if (left === 0) throw error;
      return undefined;
    });
    if (answer?.data !== undefined) return answer.data;
    if (answer !== undefined) {
      const { status } = answer.response;
      if (left === 0 || (status !== 429 && status !== 503)) throw errorOf(answer);
    }
    await sleep(1_000 * Number(answer?.response.headers.get('retry-after') ?? 1));
  }
}

/** A proxy may answer with something else than a problem. */
function errorOf({ error, response }: Answer<unknown>): Error {
  const type = response.headers.get('content-type') ?? '';
  const isProblem = error !== undefined && type.startsWith('application/problem+json');
  return isProblem ? new ProblemError(error) : new Error(`the answer is ${response.status}`);
}

/** Starts a task. With the same key it is the same task, however often this is called. */
function start(body: CreateTask, key: string, wait = '0s') {
  const params = { query: { wait }, header: { 'Idempotency-Key': key } };
  return ask(() => client.POST('/v1/tasks', { params, body }));
}

const MOVING: readonly string[] = ['not_started', 'running', 'rolling_back'];

/** Starts a task and waits until it has ended, or stands still until a person acts. */
async function run(body: CreateTask, key: string) {
  for (;;) {
    const task = await start(body, key, '30s');
    if (!MOVING.includes(task.status)) return task;
  }
}

/** The title and id of the step of a task that waits for an approval, as soon as one does. */
async function approvalOf(taskId: string) {
  for (;;) {
    const params = { path: { taskId } };
    const task = await ask(() => client.GET('/v1/tasks/{taskId}', { params }));
    const [approval] = task.approvals;
    if (approval !== undefined) return approval;
    await sleep(500);
  }
}

/** The ids of all tasks with a label, page by page. */
async function tasksWith(label: string): Promise<string[]> {
  const ids: string[] = [];
  const query: paths['/v1/tasks']['get']['parameters']['query'] = { label: [label], limit: 2 };
  for (;;) {
    const { items, page } = await ask(() => client.GET('/v1/tasks', { params: { query } }));
    ids.push(...items.map((task) => task.taskId));
    if (page.nextCursor === null) return ids;
    query.cursor = page.nextCursor;
  }
}

const order = randomUUID();
const labels = { order };

// A task with parameters, to its end.
const chosen = await run(
  { flow: 'lab-choice', parameters: { size: 3 }, labels },
  `${order}/choice`,
);
console.log(`lab-choice: ${chosen.status}, output ${JSON.stringify(chosen.output)}`);

// Its journal.
const events = await ask(() =>
  client.GET('/v1/tasks/{taskId}/events', { params: { path: { taskId: chosen.taskId } } }),
);
console.log(`events: from ${events.items[0]?.kind} to ${events.items.at(-1)?.kind}`);

// A person says yes.
const draft = { flow: 'lab-approve', parameters: { what: 'the price list' }, labels };
const asking = (await start(draft, `${order}/approve`)).taskId;
const { step, title } = await approvalOf(asking);
await ask(() =>
  client.POST('/v1/tasks/{taskId}:approve', {
    params: { path: { taskId: asking }, header: { 'Idempotency-Key': `${order}/yes` } },
    body: { step, comment: 'The prices are right.' },
  }),
);
console.log(`${title} ${(await run(draft, `${order}/approve`)).status}`);

// A signal, which the step may wait for already, or later.
const waiting = { flow: 'lab-wait', labels };
const told = (await start(waiting, `${order}/signal`)).taskId;
await ask(() =>
  client.POST('/v1/tasks/{taskId}:signal', {
    params: { path: { taskId: told } },
    body: { name: 'go', payload: { paid: 12.5 }, key: `${order}/paid` },
  }),
);
const heard = await run(waiting, `${order}/signal`);
console.log(`lab-wait: ${heard.status}, output ${JSON.stringify(heard.output)}`);

// A task that is stopped for good.
const stopped = (await start(waiting, `${order}/stop`)).taskId;
const ended = await ask(() =>
  client.POST('/v1/tasks/{taskId}:terminate', {
    params: { path: { taskId: stopped }, header: { 'Idempotency-Key': `${order}/no` } },
    body: { reason: 'The order was cancelled.' },
  }),
);
console.log(`lab-wait: ${ended.status}`);

console.log(`tasks of the order: ${(await tasksWith(`order=${order}`)).length}`);

// A request that is refused.
try {
  await start({ flow: 'no-such-flow' }, `${order}/none`);
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.log(`no-such-flow: ${error.problem.code}`);
}
