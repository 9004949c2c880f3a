/**
 * Waits for two receivers that misbehave, one that never answers and one whose body never ends,
 * while memory is collected all the time. Prints, as JSON, what became of each wait. Needs
 * `--expose-gc`; an `unsettled` wait is one that its own limit did not end.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock, withinLimit } from '#machine';
import { Webhook } from '../../apps/monitor/src/index.js';

const WAITS = 20;
const LIMIT_MS = 500;
/** Far longer than the limit: what has not settled by then has no limit. */
const PATIENCE_MS = 60_000;
/** For what needs no limit: a status has come, and the body does not count. */
const NO_LIMIT_MS = 600_000;

type Answer = (response: ServerResponse) => void;

const clock = new SystemClock();
const collect = (globalThis as { gc?: () => void }).gc;
if (collect === undefined) throw new Error('start it with --expose-gc');
setInterval(collect, 50).unref();

async function listen(answer: Answer): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function endOf(work: Promise<unknown>): Promise<string> {
  const ended = work.then(
    () => 'resolved',
    (error: Error) => error.message,
  );
  return Promise.race([ended, delay(PATIENCE_MS, 'unsettled', { ref: false })]);
}

async function endsOf(wait: () => Promise<unknown>): Promise<readonly string[]> {
  const ends = await Promise.all(Array.from({ length: WAITS }, () => endOf(wait())));
  return [...new Set(ends)];
}

const silent = await listen(() => {});
const endless = await listen((response) => {
  response.writeHead(200).write('more');
});
const message = { id: 'task-1:step:alert', body: {} };
const send = (url: string, timeoutMs: number) => () =>
  new Webhook({ url, timeoutMs }, clock).send(message, new AbortController().signal);
const read = (url: string) => () =>
  withinLimit(async (signal) => (await fetch(url, { signal })).text(), { clock, ms: LIMIT_MS });
const results = {
  sendSilent: await endsOf(send(silent, LIMIT_MS)),
  sendEndless: await endsOf(send(endless, NO_LIMIT_MS)),
  readSilent: await endsOf(read(silent)),
  readEndless: await endsOf(read(endless)),
};
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
