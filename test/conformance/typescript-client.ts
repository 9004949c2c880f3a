import { SystemClock, SystemEntropy } from '#machine';
import { type WorkAnswer, type WorkConnection, Worker, type WorkRequest } from '#worker';
import { COMMANDS, handle } from './typescript-commands.js';

const { BACKSTEP_TOKEN, BACKSTEP_URL = '', CONFORMANCE_MODULE = '' } = process.env;
const { CONFORMANCE_LEASE = '30s', CONFORMANCE_SLOTS = '1' } = process.env;

/** The connection of this worker: plain `fetch`. */
const connection: WorkConnection = {
  async send(request: WorkRequest, signal: AbortSignal): Promise<WorkAnswer> {
    const { at, body, path = {}, timeoutMs } = request;
    const [method = '', route = ''] = at.split(' ');
    const where = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent(path[name] ?? '');
    });
    const answer = await fetch(`${BACKSTEP_URL}${where}`, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'backstep-worker-protocol': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(BACKSTEP_TOKEN !== undefined && { authorization: `Bearer ${BACKSTEP_TOKEN}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const seconds = answer.headers.get('retry-after');
    return {
      status: answer.status,
      retryAfterMs: seconds === null ? null : Number(seconds) * 1_000,
      body: text === '' ? {} : (JSON.parse(text) as WorkAnswer['body']),
    };
  },
};

const host = { properties: { host: { type: 'string' } }, required: ['host'] };
const commands = {
  ...Object.fromEntries(COMMANDS.map((name) => [name, {}])),
  secret: { secrets: ['password'] },
  declared: { output: { ...host, additionalProperties: false } },
};
const worker = new Worker({
  modules: { [CONFORMANCE_MODULE]: commands },
  handle,
  slots: Number(CONFORMANCE_SLOTS),
  leaseMs: Number.parseInt(CONFORMANCE_LEASE, 10) * 1_000,
  connection,
  clock: new SystemClock(),
  entropy: new SystemEntropy(),
  say: (line) => process.stderr.write(`${line}\n`),
});

const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop.abort());
// The timers of the clock do not keep a process alive.
const alive = setInterval(() => {}, 1_000_000);
await worker.run(stop.signal);
clearInterval(alive);
