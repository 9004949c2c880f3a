import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ScheduleReport } from '../client/types.js';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const NIGHTLY: ScheduleReport = {
  name: 'nightly',
  flow: 'clean-up',
  parameters: { zone: 'eu' },
  labels: {},
  priority: 0,
  cron: '30 2 * * *',
  timezone: 'Europe/Berlin',
  overlap: 'skip',
  catchUp: 'last',
  paused: true,
  pause: { by: 'ann', reason: 'audit', since: '2027-01-01T00:00:00.000Z' },
  generation: 3,
  createdAt: '2027-01-01T00:00:00.000Z',
  updatedAt: '2027-01-01T00:00:00.000Z',
  updatedBy: 'ann',
  author: null,
  nextAt: null,
  waiting: [],
  lastRun: { moment: null, taskId: 't1', at: '2027-01-01T01:00:00.000Z' },
  lastSkipped: {
    moment: '2027-01-01T01:30:00.000Z',
    at: '2027-01-01T01:30:00.100Z',
    reason: 'overlap',
  },
  lastError: {
    moment: '2027-01-01T01:30:00.000Z',
    at: '2027-01-01T01:30:00.100Z',
    code: 'FLOW_NOT_FOUND',
    message: 'There is no flow.',
    retried: false,
  },
  counts: { started: 4, skipped: 2, failed: 1 },
  next: ['2027-01-02T01:30:00.000Z', '2027-01-03T01:30:00.000Z'],
};

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
  server.answer = (_request, response) => json(response, NIGHTLY);
});
afterEach(() => server.stop());

const ask = (...argv: string[]) => run(['schedule', ...argv, '--url', server.url]);

describe('schedule put', () => {
  it('sends what was written, and shows what was stored', async () => {
    const when = ['--cron', '30 2 * * *', '--timezone', 'Europe/Berlin', '--overlap', 'queue'];
    const more = ['zone=eu', 'n=1', '--label', 'team=db', '--catch-up', 'none', '--if-match', '2'];
    const { code, stdout } = await ask('put', 'nightly', '--flow', 'clean-up', ...when, ...more);
    expect(code).toBe(EXIT.done);
    expect(server.seen[0]).toMatchObject({
      method: 'PUT',
      path: '/v1/schedules/nightly',
      headers: { 'if-match': '"2"' },
    });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      flow: 'clean-up',
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      overlap: 'queue',
      catchUp: 'none',
      parameters: { zone: 'eu', n: 1 },
      labels: { team: 'db' },
    });
    expect(stdout).toContain('nightly (generation 3)');
  });

  it('takes the whole of it as JSON, and options win', async () => {
    const file = '{"flow":"a","every":"1h","parameters":{"x":1}}';
    await ask('put', 's', '--file', file, '--flow', 'b', '--paused', '--if-match', '0');
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      flow: 'b',
      every: '1h',
      parameters: { x: 1 },
      paused: true,
    });
    expect(server.seen[0]?.headers).toMatchObject({ 'if-none-match': '*' });
  });

  it('says what is missing, and what the server refuses', async () => {
    const { code, stderr } = await ask('put', 's', '--every', '1h');
    expect([code, server.seen.length]).toEqual([EXIT.usage, 0]);
    expect(stderr).toContain('--flow');
    server.answer = (_, response) => problem(response, { status: 422, code: 'INVALID_SCHEDULE' });
    expect((await ask('put', 's', '--flow', 'a', '--every', '1h')).code).toBe(EXIT.usage);
  });
});

describe('asking why a schedule did not start', () => {
  const EXPLAINED = {
    active: false,
    causes: [
      {
        code: 'PAUSED',
        message: 'ann paused the schedule: audit. Its moments pass without a task.',
        since: null,
        evidence: {},
        next: [{ action: 'resume', label: 'Resume it' }],
      },
    ],
    past: [
      {
        result: 'overlap',
        from: '2027-01-01T01:30:00.000Z',
        to: '2027-01-02T01:30:00.000Z',
        count: 2,
        message: 'the previous run had not ended',
        taskId: null,
      },
    ],
  };

  it('tells how its moments fared, and what to do', async () => {
    server.answer = (_request, response) => json(response, EXPLAINED);
    const { code, stderr, stdout } = await ask('why', 'nightly');
    expect([code, server.seen.at(-1)?.path]).toEqual([EXIT.done, '/v1/schedules/nightly/why']);
    expect(stdout).toMatch(/2027-01-01T01:30.* 2 +overlap +the previous run had not ended/);
    expect(stderr).toContain('ann paused the schedule: audit');
    expect(stderr).toContain('resume: Resume it');
    const { stdout: data } = await ask('why', 'nightly', '-o', 'json');
    expect(JSON.parse(data)).toEqual(EXPLAINED);
  });
});

describe('looking at schedules', () => {
  it('get tells the next moments and what became of the last', async () => {
    const { stdout } = await ask('get', 'nightly', '--next', '2');
    expect(server.seen[0]?.path).toBe('/v1/schedules/nightly?next=2');
    for (const words of [
      'clean-up',
      '30 2 * * * (Europe/Berlin)',
      'by ann, 2027-01-01T00:00:00.000Z: audit',
      '2027-01-02T01:30:00.000Z, 2027-01-03T01:30:00.000Z',
      'by hand t1',
      '2027-01-01T01:30:00.000Z: overlap',
      'There is no flow. (FLOW_NOT_FOUND)',
      '4 started by the clock, 2 skipped, 1 failed',
    ]) {
      expect(stdout).toContain(words);
    }
    const { stdout: data } = await ask('get', 'nightly', '-o', 'json');
    expect(JSON.parse(data)).toEqual(NIGHTLY);
  });

  it('list reads all pages', async () => {
    server.answer = ({ path }, response) => {
      const isLast = path.includes('cursor=');
      const item = { ...NIGHTLY, name: isLast ? 'b' : 'a' };
      json(response, { items: [item], page: { nextCursor: isLast ? null : 'a' } });
    };
    expect((await ask('list', '-o', 'name')).stdout).toBe('a\nb\n');
    expect((await ask('list')).stdout).toContain('paused');
  });
});

describe('acting on schedules', () => {
  it.each(['pause', 'resume'])('%s sends the reason', async (verb) => {
    const { code } = await ask(verb, 'nightly', '--reason', 'audit');
    expect(code).toBe(EXIT.done);
    expect(server.seen[0]).toMatchObject({ method: 'POST', path: `/v1/schedules/nightly:${verb}` });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({ reason: 'audit' });
    expect((await ask(verb, 'nightly', '--reason', ' ')).code).toBe(EXIT.usage);
  });

  it('trigger prints the task, and sends a key', async () => {
    server.answer = (_request, response) => json(response, { taskId: 't9' }, 201);
    const { stdout } = await ask('trigger', 'nightly', '--idempotency-key', 'k1');
    expect(stdout).toBe('t9\n');
    expect(server.seen[0]).toMatchObject({
      path: '/v1/schedules/nightly:trigger',
      headers: { 'idempotency-key': '"k1"' },
    });
  });

  it('delete removes it, and says so of one that is not there', async () => {
    server.answer = (_request, response) => void response.writeHead(204).end();
    expect((await ask('delete', 'nightly')).code).toBe(EXIT.done);
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', path: '/v1/schedules/nightly' });
    server.answer = (_, response) => problem(response, { status: 404, code: 'SCHEDULE_NOT_FOUND' });
    expect((await ask('delete', 'nightly')).code).toBe(EXIT.notFound);
  });
});
