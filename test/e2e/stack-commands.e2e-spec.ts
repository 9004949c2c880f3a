import { type ExecFileException, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { freePort } from '../servers/free-ports.js';
import { describeWith } from '../servers/describe-with.js';
import { REPOSITORY } from '../stack/index.js';
import { SpanReceiver } from '../tracing/index.js';
import { Trial } from '../trial/index.js';

/** A member as `status -o json` shows it. */
interface Member {
  readonly name: string;
  readonly pid: number | null;
  readonly url: string;
  readonly log: string | null;
  readonly state: string;
}

const COMMAND_MS = 240_000;
const TASK_SECONDS = 60;
const NAMES = ['http', 'lab', 'mongo', 'monitor', 'mysql', 'oss', 'rabbitmq', 'resource'];

jest.setTimeout(300_000);

const servers = ['mongo', 'rabbitmq'] as const;

describeWith('the commands of the distributed set', { servers, own: true }, () => {
  const trial = new Trial('stack-commands');
  let portBase = 0;
  let receiver: SpanReceiver;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      portBase = await freePort();
      receiver = trial.use(await SpanReceiver.open());
      trial.use({ stop: () => stack('down') });
    }),
  );
  afterAll(() => trial.close());

  /** Runs `npm run stack -- ...` as people do, with a set of this test's own. */
  function stack(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const own = { ...receiver.environment, BACKSTEP_TEST_STACK_FOLDER: trial.folder };
    const env = { ...process.env, ...own };
    const options = { cwd: REPOSITORY, env, timeout: COMMAND_MS };
    return new Promise((resolve) => {
      const argv = ['run', '--silent', 'stack', '--', ...args];
      execFile('npm', argv, options, (error: ExecFileException | null, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
      });
    });
  }

  async function members(): Promise<readonly Member[]> {
    return JSON.parse((await stack('status', '-o', 'json')).out) as readonly Member[];
  }

  async function runTask(url: string): Promise<{ readonly taskId: string }> {
    const answer = await fetch(`${url}/v1/tasks?wait=${TASK_SECONDS}s`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        flow: 'create-db-instance',
        parameters: { cpu: 1, memory: 1, storage: 10 },
      }),
    });
    return (await answer.json()) as { readonly taskId: string };
  }

  trial.it('bring it up, show it, run a task on it, and take it down', async () => {
    expect(await stack('status')).toMatchObject({ code: 1, out: '' });
    const taken = createServer().listen(portBase, '127.0.0.1');
    await once(taken, 'listening');
    const begun = await stack('up', '--port-base', String(portBase));
    taken.close();
    expect(begun).toMatchObject({ code: 0 });
    const up = await members();
    const urlOf = (wanted: string) => up.find(({ name }) => name === wanted)?.url ?? '';
    expect(begun.err).toContain(`port ${portBase} was in use: oss listens on ${urlOf('oss')}\n`);
    expect(begun.err).toContain(`  export BACKSTEP_URL=${urlOf('oss')}\n`);
    expect(begun.err).toContain(`  export BACKSTEP_STORE='${urlOf('mongo')}backstep'\n`);
    expect(begun.err).toContain(`  export BACKSTEP_TRANSPORT='${urlOf('rabbitmq')}'\n`);
    expect(up.map(({ name }) => name).sort((a, b) => a.localeCompare(b))).toEqual(NAMES);
    expect(up.filter(({ state }) => state !== 'ready' && state !== 'running')).toEqual([]);

    const gateway = up.find(({ name }) => name === 'oss');
    const task = await runTask(gateway?.url ?? '');
    expect(task).toMatchObject({ status: 'succeeded' });
    await reachBackend(receiver, task.taskId);
    expect(await readFile(gateway?.log ?? '', 'utf8')).toContain('"level"');

    // Processes that run already are left alone.
    expect(await stack('up')).toMatchObject({ code: 0 });
    expect((await members()).map(({ pid }) => pid)).toEqual(up.map(({ pid }) => pid));

    expect(await stack('down')).toMatchObject({ code: 0 });
    expect(await stack('status')).toMatchObject({ code: 1, out: '' });
    expect(up.filter(({ pid }) => pid !== null && lives(pid))).toEqual([]);
    expect((await stack('down')).err).toContain('not running');
  });

  trial.it('refuse what they do not know', async () => {
    expect(await stack('sideways')).toMatchObject({ code: 2 });
    expect(await stack('up', '--port-base', '0')).toMatchObject({ code: 2 });
  });
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The variables of OpenTelemetry have reached the gateway and the executors. */
async function reachBackend(receiver: SpanReceiver, taskId: string): Promise<void> {
  const services = ['backstep-oss', 'backstep-resource', 'backstep-mysql'];
  for (const service of services) {
    await receiver.until(taskId, ({ resource }) => resource['service.name'] === service);
  }
}
