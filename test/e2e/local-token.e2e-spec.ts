import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { within } from '#testing';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { freePort } from '../servers/free-ports.js';
import { REPOSITORY } from '../stack/index.js';

const LONG_MS = 120_000;
const FLOWS = path.join(REPOSITORY, 'flow-configs');

jest.setTimeout(2 * LONG_MS);

/** Passes everything on to Backstep, both ways, and keeps what it was sent. */
async function relayAt(
  { host, port }: { readonly host: string; readonly port: number },
  url: string,
): Promise<{ heard: string[]; stop(): void }> {
  const heard: string[] = [];
  const relay = createServer((client) => {
    const onwards = connect(Number(new URL(url).port), '127.0.0.1');
    client.on('data', (piece) => heard.push(String(piece)));
    for (const end of [client, onwards]) end.on('error', () => end.destroy());
    client.pipe(onwards).pipe(client);
  });
  relay.listen(port, host);
  await once(relay, 'listening');
  return { heard, stop: () => void relay.close() };
}

describe('a Backstep that asks for the token of its machine', () => {
  let folder: string;
  let url: string;
  let server: CliChild;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-machine-'));
    await mkdir(path.join(folder, 'elsewhere'));
    url = `http://127.0.0.1:${await freePort()}`;
    server = await started('start', 'standalone', '--lab', 'on', '--log', 'warn');
  });

  afterAll(async () => {
    server.kill('SIGKILL');
    await server.end;
    await rm(folder, { recursive: true });
  });

  async function started(...command: string[]): Promise<CliChild> {
    const env = { BACKSTEP_AUTH: 'token', BACKSTEP_HTTP: new URL(url).host };
    const child = new CliChild([...command, '--flows', FLOWS], { cwd: folder, env });
    await within('the start', child.untilWritten('another link: '), LONG_MS);
    return child;
  }

  function run(argv: readonly string[], env = {}, cwd = folder): Promise<CliEnd> {
    const child = new CliChild(argv, { cwd, env: { BACKSTEP_URL: url, ...env } });
    return within(`backstep ${argv.join(' ')}`, child.end, LONG_MS);
  }

  const statusFor = async (bearer: string, method = 'GET'): Promise<number> => {
    const headers = { authorization: `Bearer ${bearer}` };
    return (await fetch(`${url}/v1/session`, { method, headers })).status;
  };

  const ticketIn = (text: string): string => {
    const [, ticket = ''] = /\/console\/login#ticket=(\S+)/.exec(text) ?? [];
    return ticket;
  };

  it('keeps it for its own user, and tells nobody', async () => {
    const file = path.join(folder, '.backstep/token');
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    const token = (await readFile(file, 'utf8')).trim();
    expect(token).toMatch(/^bst_[\w-]{43}$/);
    expect(server.stdout + server.stderr).not.toContain(token);
    expect((await fetch(`${url}/v1/tasks`)).status).toBe(401);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await statusFor(token)).toBe(200);
  });

  it('is asked by a command line of its folder without further ado', async () => {
    const done = await run(['task', 'start', 'lab-graph', '--watch']);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n✓ succeeded in .*s\n$/),
    });
    const made = await run(['task', 'start', 'lab-wait', '-o', 'name']);
    const taskId = made.stdout.trim();
    const watch = new CliChild(['task', 'watch', taskId, '-o', 'jsonl', '--url', url], {
      cwd: folder,
    });
    await within('the first event', watch.untilWritten('"created"'), LONG_MS);
    expect((await run(['task', 'terminate', taskId, '--reason', 'enough'])).code).toBe(0);
    const watched = await within('the end of the watch', watch.end, LONG_MS);
    expect(watched).toMatchObject({ code: 1, stdout: expect.stringContaining('terminate') });
    const listed = await run(['audit', 'list', '-o', 'json', '--target', taskId]);
    expect(JSON.parse(listed.stdout)[0]).toMatchObject({ actor: userInfo().username });
  });

  it('is not asked from elsewhere, unless its file is named', async () => {
    const elsewhere = path.join(folder, 'elsewhere');
    const refused = await run(['task', 'list'], {}, elsewhere);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`${elsewhere}/.backstep has none that this user may read`);
    const file = path.join(folder, '.backstep/token');
    for (const env of [
      { BACKSTEP_TOKEN_FILE: file },
      { BACKSTEP_DATA: path.dirname(file) },
      { BACKSTEP_TOKEN: (await readFile(file, 'utf8')).trim() },
    ]) {
      expect((await run(['task', 'list'], env, elsewhere)).code).toBe(0);
    }
  });

  it('has links that sign in, each once', async () => {
    const ticket = ticketIn(server.stderr);
    expect(await statusFor(ticket, 'POST')).toBe(200);
    expect(await statusFor(ticket, 'POST')).toBe(401);
    const { code, stdout } = await run(['console']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${url}/console/login#ticket=\\S+\\n$`));
    expect(await statusFor(ticketIn(stdout), 'POST')).toBe(200);
    expect(await statusFor(ticketIn(stdout), 'POST')).toBe(401);
  });

  it.each([
    ['another port', '127.0.0.1', false],
    ['the same port of another address', '127.0.0.2', true],
    ['the same port over IPv6', '::1', true],
  ])('is of no use for a relay of another user at %s', async (_where, host, isSamePort) => {
    const { port } = new URL(url);
    const at = isSamePort ? Number(port) : await freePort();
    const relay = await relayAt({ host, port: at }, url);
    const relayed = `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
    try {
      for (const argv of [['task', 'list'], ['task', 'start', 'lab-graph'], ['console']]) {
        const { code, stderr, stdout } = await run([...argv, '--url', relayed]);
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toContain('does not know the token');
      }
      const heard = relay.heard.splice(0).join('');
      expect(heard.match(/^GET /gm)).toHaveLength(3);
      expect(heard).not.toMatch(/bst_|bso_|authorization|lab-graph/i);
      // The name leads to Backstep itself, and so do links.
      const named = `http://localhost:${port}`;
      expect((await run(['task', 'list', '--url', named])).code).toBe(0);
      const { stdout } = await run(['console', '--url', named]);
      expect(stdout).toMatch(new RegExp(`^${url}/console/login#ticket=`));
      expect(relay.heard).toEqual([]);
    } finally {
      relay.stop();
    }
  });

  it('keeps its token over a start, and does not start where others may read it', async () => {
    server.kill('SIGTERM');
    await server.end;
    const file = path.join(folder, '.backstep/token');
    const token = await readFile(file, 'utf8');
    const used = ticketIn(server.stderr);
    server = await started('dev', '--no-watch');
    expect(await readFile(file, 'utf8')).toBe(token);
    expect(await statusFor(used, 'POST')).toBe(401);
    expect(await statusFor(ticketIn(server.stderr), 'POST')).toBe(200);
    server.kill('SIGTERM');
    await server.end;
    await chmod(file, 0o640);
    const env = { BACKSTEP_AUTH: 'token', BACKSTEP_HTTP: new URL(url).host };
    const refused = await run(['start', 'standalone'], env);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`others may read or write ${file}. Remove it, and a new one`);
  });
});
