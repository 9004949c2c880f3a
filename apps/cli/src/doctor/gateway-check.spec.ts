import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';
import type { Finding } from './finding.js';

let server: StubServer;
let cwd: string;

beforeAll(async () => {
  server = await StubServer.start();
  cwd = await mkdtemp(path.join(tmpdir(), 'backstep-doctor-'));
});
afterAll(async () => {
  await server.stop();
  await rm(cwd, { recursive: true });
});

/** The finding of `doctor` about the gateway; undefined: it was not looked at. */
async function gatewayAt(url: string | null): Promise<Finding | undefined> {
  const env = url === null ? {} : { BACKSTEP_URL: url };
  const { stdout } = await run(['doctor', '-o', 'json'], { cwd, env });
  return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'gateway');
}

describe('the gateway of a doctor', () => {
  it('is looked at only where it was named', async () => {
    expect(await gatewayAt(null)).toBeUndefined();
  });

  it('is ready', async () => {
    server.answer = (_request, response) =>
      json(response, { status: 'ready', checks: [], notes: [] });
    expect(await gatewayAt(server.url)).toMatchObject({ state: 'ok' });
  });

  it('is ready, and says what holds its work up in part', async () => {
    const notes = [
      'BACKSTEP_AUTH is off',
      'degraded: The broker takes no messages now: low on disk.',
    ];
    server.answer = (_request, response) => json(response, { status: 'ready', checks: [], notes });
    expect(await gatewayAt(server.url)).toMatchObject({
      state: 'warning',
      detail: `${server.url} is ready, with notes: ${notes[1]}`,
    });
  });

  it('says what it does not reach, whatever the settings of this shell are', async () => {
    const since = '2026-01-01T00:00:00.000Z';
    const checks = [
      { name: 'store', ready: true, message: null },
      { name: 'broker', ready: false, message: 'There is no connection.', since },
    ];
    server.answer = (_request, response) => {
      response.statusCode = 503;
      json(response, { status: 'not_ready', checks, notes: [] });
    };
    expect(await gatewayAt(server.url)).toMatchObject({
      state: 'broken',
      detail: `${server.url} is not ready: broker: There is no connection. (since ${since})`,
      fix: expect.stringContaining('need not be started again'),
    });
  });

  it('does not answer, or is something else', async () => {
    server.answer = (_request, response) => response.end('<html>');
    expect(await gatewayAt(server.url)).toMatchObject({ state: 'broken' });
    const gone = await gatewayAt('http://127.0.0.1:1');
    expect(gone).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
