import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';

jest.setTimeout(240_000);

const run = promisify(execFile);

interface Audited {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `npm run audit` against a registry that gives this answer. */
async function audit(status: number, advisories: object): Promise<Audited> {
  const registry = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    // It is also asked for versions without the advisory: there are none.
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    const answer = request.method === 'POST' ? advisories : { name, versions: {} };
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const cache = mkdtempSync(join(tmpdir(), 'backstep-audit-'));
  const { port } = registry.address() as AddressInfo;
  const npm = {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: cache,
    npm_config_fetch_retries: '0',
  };
  try {
    const env = { ...process.env, ...npm };
    return {
      code: 0,
      ...(await run('node', ['scripts/run.mjs', 'dist/test/package/audit.js'], { env })),
    };
  } catch (error) {
    return error as Audited;
  } finally {
    registry.close();
    rmSync(cache, { recursive: true, force: true });
  }
}

describe('npm run audit', () => {
  it('has nothing to say where the registry knows of nothing', async () => {
    expect(await audit(200, {})).toMatchObject({ code: 0, stdout: 'audit: 0 advisories\n' });
  });

  it('names what there is an advisory about, and fails', async () => {
    const advisory = {
      id: 1,
      url: 'https://example.org/1',
      title: 'it leaks',
      severity: 'high',
      vulnerable_versions: '<999',
      cwe: [],
      cvss: { score: 7, vectorString: null },
    };
    const { code, stdout } = await audit(200, { fastify: [advisory] });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^high {2}fastify .*it leaks$/m);
  });

  it('does not take a registry that gives no answer for one that knows of nothing', async () => {
    const { code, stderr } = await audit(405, {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/^audit: the registry gave no advisories/);
  });
});
