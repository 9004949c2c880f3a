import { existsSync } from 'node:fs';
import { request } from 'node:http';
import type { RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import path from 'node:path';

const ANSWER_MS = 1_000;
const SOCKETS = ['/var/run/docker.sock', path.join(homedir(), '.docker/run/docker.sock')];

/**
 * Whether a Docker engine answers here; asked once, when this is first imported, because suites
 * must know at once which of their tests can run. `BACKSTEP_TEST_DOCKER=off` says no.
 */
export const dockerAnswers = await askEngine();

async function askEngine(): Promise<boolean> {
  if (process.env['BACKSTEP_TEST_DOCKER'] === 'off') return false;
  const engine = findEngine();
  return engine !== undefined && ping(engine);
}

function findEngine(): RequestOptions | undefined {
  const given = process.env['DOCKER_HOST'];
  if (given?.startsWith('unix://')) return { socketPath: given.slice('unix://'.length) };
  if (given !== undefined && URL.canParse(given)) {
    const { hostname, port } = new URL(given);
    return { host: hostname, port };
  }
  const socketPath = SOCKETS.find((file) => existsSync(file));
  return socketPath === undefined ? undefined : { socketPath };
}

/** Any answer will do: an engine behind TLS answers a plain request with a refusal. */
function ping(engine: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ ...engine, path: '/_ping', timeout: ANSWER_MS }, (answer) => {
      answer.resume();
      resolve(true);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
