import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';
import { socketIn } from './backstep-url.js';
import { reach, type Sent } from './reach.js';

describe('a request to a socket', () => {
  let server: StubServer;

  beforeEach(async () => {
    server = await StubServer.start('socket');
  });

  afterEach(() => server.stop());

  const ask = (more: Partial<Sent> = {}): Promise<Response> => {
    const { signal } = new AbortController();
    return reach({ url: server.url }, 'v1/tasks?limit=1', {
      method: 'GET',
      headers: {},
      signal,
      ...more,
    });
  };

  it('is one like any other, and its answer too', async () => {
    server.answer = (_request, response) => {
      response.writeHead(201, { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
      response.end('größer');
    };
    const answer = await ask({ method: 'POST', headers: { 'x-a': 'b' }, body: '{"ü":1}' });
    expect([answer.status, await answer.text()]).toEqual([201, 'größer']);
    expect(answer.headers.get('set-cookie')).toBe('a=1, b=2');
    expect(server.seen).toEqual([
      expect.objectContaining({ method: 'POST', path: '/v1/tasks?limit=1', body: '{"ü":1}' }),
    ]);
    expect(server.seen[0]?.headers).toMatchObject({ host: 'localhost', 'x-a': 'b' });
  });

  it.each([204, 304])('has no body in an answer with %d', async (status) => {
    server.answer = (_request, response) => void response.writeHead(status).end();
    const answer = await ask({ method: 'DELETE' });
    expect([answer.status, await answer.text()]).toEqual([status, '']);
  });

  it('follows no redirect', async () => {
    const location = 'http://127.0.0.1:9/';
    server.answer = (_request, response) => void response.writeHead(302, { location }).end();
    await expect(ask()).rejects.toThrow('the request failed');
  });

  it('is called off with its signal, before the answer and in the middle of it', async () => {
    const early = new AbortController();
    server.answer = () => early.abort();
    await expect(ask({ signal: early.signal })).rejects.toThrow('the request failed');
    const late = new AbortController();
    server.answer = (_request, response) => void response.write('the first half');
    const answer = await ask({ signal: late.signal });
    const reading = text(answer.body as never);
    late.abort();
    await expect(reading).rejects.toThrow();
  });

  it('finds the socket by a relative path, of which commands tell as it was written', async () => {
    const file = socketIn(server.url)!;
    const receipt = { taskId: 'task-1', flow: 'sample', flowVersion: 1, status: 'not_started' };
    server.answer = ({ method }, response) => {
      if (method === 'POST') json(response, { ...receipt, timeCreate: 1 }, 201);
      else json(response, taskReport('succeeded'));
    };
    const [cwd, env] = [path.dirname(file), { BACKSTEP_URL: `unix:${path.basename(file)}` }];
    const { code, stderr } = await run(['task', 'start', 'sample'], { cwd, env });
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('next: npx backstep task watch task-1\n');
  });
});
