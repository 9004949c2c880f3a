import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { within } from '#testing';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { REPOSITORY } from '../stack/index.js';

const LONG_MS = 120_000;
const FLOWS = path.join(REPOSITORY, 'flow-configs');
/** Relative: programs in the folder find it. */
const PLACE = 'unix:run/backstep.sock';

jest.setTimeout(2 * LONG_MS);

interface Asked {
  readonly status: number | undefined;
  readonly body: string;
}

describe('a Backstep on a socket', () => {
  let folder: string;
  let socketPath: string;
  let server: CliChild;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-unix-'));
    socketPath = path.join(folder, 'run/backstep.sock');
    server = await started();
  });

  afterAll(async () => {
    server.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  const command = (...argv: string[]): CliChild =>
    new CliChild(argv, { cwd: folder, env: { BACKSTEP_HTTP: PLACE, BACKSTEP_URL: PLACE } });
  const run = (...argv: string[]): Promise<CliEnd> =>
    within(`backstep ${argv.join(' ')}`, command(...argv).end, LONG_MS);

  async function started(): Promise<CliChild> {
    const child = command('dev', '--flows', FLOWS);
    await within('the start', child.untilWritten('backstep flow list\n'), LONG_MS);
    return child;
  }

  async function ask(where: string, headers: Readonly<Record<string, string>>): Promise<Asked> {
    const asked = request({ socketPath, path: where, headers, agent: false });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await text(answer) };
  }

  it('says where it is, and how it is asked', () => {
    expect(server.stderr).toContain(`listens on unix:${socketPath} as `);
    expect(server.stderr).toContain(`  Backstep  unix:${socketPath} (for this user alone)\n`);
    expect(server.stderr).toContain(`curl --unix-socket ${socketPath} http://localhost/metrics\n`);
    expect(server.stderr).toContain('backstep flow list\n');
    expect(server.stderr).not.toMatch(/http:\/\/127|\/console/);
  });

  it('is for its own user alone, from its first moment on', async () => {
    for (const place of [socketPath, path.dirname(socketPath)]) {
      const { mode } = await stat(place);
      expect((mode & 0o077).toString(8)).toBe('0');
    }
    expect(((await stat(socketPath)).mode & 0o777).toString(8)).toBe('600');
    expect(await readdir(path.dirname(socketPath))).toEqual(['backstep.sock']);
  });

  it('takes the requests of the command line, its waits and streams among them', async () => {
    const done = await run('task', 'start', 'lab-graph', '--watch');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/\n✓ succeeded in .*s\n$/);
    const undone = await run('task', 'start', 'lab-fail-last', '--wait', '2m', '-o', 'json');
    expect(undone).toMatchObject({ code: 1 });
    const { taskId } = JSON.parse(undone.stdout);
    const watched = await run('task', 'watch', taskId, '-o', 'jsonl');
    expect(watched).toMatchObject({ code: 1, stdout: expect.stringContaining('task_rolled_back') });
    expect((await run('task', 'list', '-o', 'name')).stdout).toContain(`${taskId}\n`);
    expect((await run('resource', 'hosts')).code).toBe(0);
    expect((await run('task', 'get', 'none')).code).toBe(3);
    expect((await run('audit', 'verify')).code).toBe(0);
    const late = await run('task', 'rollback', taskId, '--reason', 'too late');
    expect(late).toMatchObject({ code: 4, stderr: expect.stringContaining('(ILLEGAL_ACTION)') });
  });

  it('ends a watch that is interrupted', async () => {
    const { stdout } = await run('task', 'start', 'lab-wait', '-o', 'name');
    const watch = command('task', 'watch', stdout.trim(), '-o', 'jsonl');
    await within('the first event', watch.untilWritten('"created"'), LONG_MS);
    watch.kill('SIGINT');
    expect(await within('its end', watch.end, LONG_MS)).toMatchObject({ code: 130 });
  });

  it('keeps out the pages that a proxy before it would let in', async () => {
    expect(await ask('/v1/tasks', { host: 'localhost' })).toMatchObject({ status: 200 });
    expect(await ask('/v1/tasks', { host: '127.0.0.1:8080' })).toMatchObject({ status: 200 });
    const foreign = await ask('/v1/tasks', { host: 'evil.example' });
    expect([foreign.status, foreign.body]).toEqual([421, expect.stringContaining('WRONG_HOST')]);
    const headers = { host: 'localhost', origin: 'http://evil.example' };
    const page = await ask('/v1/tasks', headers);
    expect([page.status, page.body]).toEqual([403, expect.stringContaining('FOREIGN_ORIGIN')]);
  });

  it('lets no second process take its place, and is found by the doctor', async () => {
    const store = `sqlite:${path.join(folder, 'other.db')}`;
    const second = await run('start', 'standalone', '--store', store, '--flows', FLOWS);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    const advice = 'Stop what listens there, or set BACKSTEP_HTTP to another path.';
    expect(second.stderr).toBe(
      `backstep standalone could not start: ${socketPath} is in use. ${advice}\n`,
    );
    expect(existsSync(path.join(folder, 'other.db'))).toBe(false);
    const { stdout } = await run('doctor', '-o', 'json');
    const seen = { check: 'port', detail: `a Backstep listens on ${socketPath}` };
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining(seen));
  });

  it('leaves a socket behind when it is killed, of which the next one takes the place', async () => {
    server.kill('SIGKILL');
    await server.end;
    expect(existsSync(socketPath)).toBe(true);
    const nobody = await run('task', 'list');
    expect(nobody).toMatchObject({ code: 5, stdout: '' });
    expect(nobody.stderr).toContain(`at unix:${socketPath}: the connection was refused`);
    const { stdout } = await run('doctor', '-o', 'json', '--flows', FLOWS);
    const seen = { check: 'port', detail: `${socketPath} is free` };
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining(seen));
    server = await started();
    expect((await run('task', 'list')).code).toBe(0);
  });

  it('takes its socket away when it is stopped', async () => {
    server.kill('SIGTERM');
    expect(await within('the end', server.end, LONG_MS)).toMatchObject({ code: 0 });
    expect(await readdir(path.dirname(socketPath))).toEqual([]);
    expect(await run('task', 'list')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('there is no such socket'),
    });
  });
});
