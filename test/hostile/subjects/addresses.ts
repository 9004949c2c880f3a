import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { isRefusal, request } from '../judge.js';
import type { Reproduction, Subject } from '../reproduction.js';

const escapes = ['/v1/t%61sks', '/%76%31/tasks', '/v1/flows%2D', '/modules/resource/%68osts'].map(
  (path): Reproduction =>
    request(
      { rule: `an address has one spelling: ${path}`, sends: `GET ${path}` },
      { path },
      { status: 404 },
    ),
);

/** Addresses, headers and bodies as only a proxy's enemy writes them. */
export const addresses: Subject = {
  name: 'addresses and headers',
  settings: { log: 'debug' },
  reproductions: [
    ...escapes,
    {
      rule: 'an action has one spelling',
      sends: 'POST /v1/tasks/{id}:%74erminate',
      play: async (stand) => {
        const taskId = await stand.api.create('lab-succeed');
        for (const path of [`/v1/tasks/${taskId}:%74erminate`, `/v1/t%61sks/${taskId}:terminate`]) {
          const reply = await stand.send({ path, body: { reason: 'evil' } });
          assert.equal(reply.status, 404, `${path}: ${reply.text.slice(0, 200)}`);
        }
      },
    },
    {
      rule: 'a compressed body without a length is refused',
      sends: 'POST /v1/tasks with Content-Encoding: gzip and Transfer-Encoding: chunked',
      play: async (stand) => {
        const headers = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' };
        const sent = { path: '/v1/tasks', body: { flow: 'lab-succeed' }, headers };
        const reply = await stand.send(sent);
        assert.equal(reply.status, 415, `${reply.status} ${reply.text.slice(0, 200)}`);
      },
    },
    {
      rule: 'an answer does not tell where it was made',
      sends: 'GET /v1/tasks, and the events of a task',
      play: async (stand) => {
        const { headers } = await stand.send({ path: '/v1/tasks' });
        const { steps: _, ...task } = await stand.api.run('lab-succeed');
        const events = await stand.api.events(task.taskId);
        const shown = JSON.stringify({ headers, task, events });
        const { pid } = stand.process;
        assert.doesNotMatch(shown, new RegExp(`\\b${hostname()}\\b`), 'it names the host');
        assert.doesNotMatch(String(headers['x-request-id']), new RegExp(`\\b${pid}\\b`));
        assert.doesNotMatch(JSON.stringify(events), new RegExp(`\\b${pid}\\b`));
      },
    },
    {
      rule: 'a flow that is not there does not tell of others',
      sends: 'POST /v1/tasks with a flow that nobody knows',
      play: async (stand) => {
        const reply = await stand.send({ path: '/v1/tasks', body: { flow: 'qqqq-zzzz' } });
        assert.equal(reply.status, 404);
        const { items } = await stand.api.get<{ items: { name: string }[] }>('/v1/flows');
        const named = items.filter(({ name }) => reply.text.includes(name));
        assert.deepEqual(
          named.map(({ name }) => name),
          [],
        );
      },
    },
    {
      rule: 'a key that was used tells nothing about whose task it made',
      sends: 'POST /v1/tasks, the same idempotency key with another body',
      play: async (stand) => {
        const headers = { 'idempotency-key': 'a-key' };
        const first = { path: '/v1/tasks', headers, body: { flow: 'lab-succeed' } };
        const made = await stand.send(first);
        const { taskId } = JSON.parse(made.text) as { taskId: string };
        const reply = await stand.send({ ...first, body: { flow: 'lab-four-steps' } });
        assert.equal(reply.status, 422);
        const shown = `${reply.text}${JSON.stringify(reply.headers)}`;
        assert.ok(!shown.includes(taskId), 'it tells the id of the task');
      },
    },
    {
      rule: 'the words of a client cannot move the cursor of who reads the answer',
      sends: 'requests with escapes of terminals in names, reasons and queries',
      play: async (stand) => {
        const escape = '\u001b[2J\u001b]0;owned\u0007\r\n';
        const replies = await Promise.all([
          stand.send({ path: '/v1/tasks', body: { flow: escape } }),
          stand.send({ path: `/v1/flows/${encodeURIComponent(escape)}` }),
          stand.send({ path: `/v1/tasks?status=${encodeURIComponent(escape)}` }),
          stand.send({ path: '/v1/tasks', body: { [escape]: 1 } }),
        ]);
        for (const reply of replies) {
          assert.ok(isRefusal(reply), `${reply.status}`);
          assert.ok(!reply.text.includes('\u001b'), reply.text.slice(0, 200));
        }
        assert.ok(!stand.process.log.includes('\u001b[2J'), 'the log holds it');
      },
    },
  ],
};
