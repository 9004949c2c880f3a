import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const OPERATION = {
  operationId: 'op-1',
  action: 'retry',
  q: 'status:rollback_failed',
  reason: 'disk is back',
  dryRun: false,
  actor: 'ann',
  status: 'finished',
  matched: 3,
  isCounted: true,
  done: 3,
  refused: 0,
  failed: 0,
  wouldDo: null,
  createdAt: '2026-11-21T09:48:56.093Z',
  endedAt: '2026-11-21T09:48:57.093Z',
  counts: {},
  examples: [],
};

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const ask = (...argv: string[]) => run([...argv, '--url', server.url]);
const START = ['operation', 'start', 'retry', '--query', OPERATION.q, '--reason', 'disk is back'];

describe('operation start', () => {
  it('sends what is to be done, with a key of its own', async () => {
    server.answer = (_request, response) => json(response, OPERATION, 202);
    const { code, stdout } = await ask(...START, 'memory=16', '--rate', '0.5', '--dry-run');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('3 matched: 3 done, 0 refused, 0 failed');
    const { body, headers, method, path } = server.seen[0]!;
    expect([method, path]).toEqual(['POST', '/v1/operations']);
    expect(headers['idempotency-key']).toMatch(/cli-/);
    expect(JSON.parse(body)).toEqual({
      action: 'retry',
      q: OPERATION.q,
      reason: 'disk is back',
      parameters: { memory: 16 },
      ratePerSecond: 0.5,
      dryRun: true,
    });
  });

  it('follows it to its end, and tells whether each task was acted on', async () => {
    const steps = [
      { ...OPERATION, status: 'running', done: 1, endedAt: null },
      { ...OPERATION, status: 'running', done: 2, endedAt: null },
      {
        ...OPERATION,
        done: 2,
        refused: 1,
        counts: { ILLEGAL_ACTION: 1 },
        examples: [{ taskId: 't-1', code: 'ILLEGAL_ACTION', message: 'It runs.' }],
      },
    ];
    server.answer = (_request, response) => json(response, steps.shift());
    const { code, stderr, stdout } = await ask(...START, '-f');
    expect(code).toBe(EXIT.endedOtherwise);
    expect(stderr).toContain('3 matched: 1 done, 0 refused, 0 failed\n3 matched: 2 done');
    expect(stdout).toContain('1 × ILLEGAL_ACTION');
    expect(stdout).toContain('t-1  It runs.');
    expect(server.seen.slice(1).map(({ path }) => path)).toEqual(
      Array(2).fill('/v1/operations/op-1'),
    );
  });

  it.each([
    [['--reason', ' '], '--reason must say why'],
    [['--rate', 'fast'], '--rate is a number'],
    [['--result', '[]'], '--result must be a JSON object'],
  ])('refuses %j before anything is sent', async (more, words) => {
    const { code, stderr } = await ask(...START, ...more);
    expect([code, server.seen]).toEqual([EXIT.usage, []]);
    expect(stderr).toContain(words);
  });
});

describe('operation', () => {
  it('list reads page after page', async () => {
    const pages = [
      { items: [OPERATION], page: { nextCursor: '1.a' } },
      { items: [{ ...OPERATION, operationId: 'op-2' }], page: { nextCursor: null } },
    ];
    server.answer = (_request, response) => json(response, pages.shift());
    const { code, stdout } = await ask('operation', 'list', '--all', '-o', 'name');
    expect([code, stdout]).toEqual([EXIT.done, 'op-1\nop-2\n']);
    expect(server.seen[1]?.path).toBe('/v1/operations?limit=200&cursor=1.a');
  });

  it('cancel sends why', async () => {
    server.answer = (_request, response) => json(response, { ...OPERATION, status: 'cancelled' });
    const { code, stdout } = await ask('operation', 'cancel', 'op-1', '--reason', 'too many');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('retry  cancelled  op-1');
    const { body, path } = server.seen[0]!;
    expect([path, JSON.parse(body)]).toEqual([
      '/v1/operations/op-1:cancel',
      { reason: 'too many' },
    ]);
  });

  it('cancel of one that has ended is a conflict', async () => {
    server.answer = (_, response) => problem(response, { status: 409, code: 'OPERATION_ENDED' });
    expect((await ask('operation', 'cancel', 'op-1')).code).toBe(EXIT.conflict);
  });
});

describe('what waits for a second person', () => {
  const consent = { rule: 'terminate on * needs two', expiresAt: '2026-11-22T09:48:56.093Z' };
  const one = { ...OPERATION, action: 'terminate', q: '', taskId: 't-1', flow: 'pay', done: 0 };
  const waiting = {
    ...one,
    status: 'waiting',
    endedAt: null,
    consent: { ...consent, decision: null },
  };

  it('is said where a task would be shown, with what lets it begin', async () => {
    server.answer = (_request, response) => json(response, waiting, 202);
    const { code, stderr, stdout } = await ask('task', 'terminate', 't-1', '--reason', 'no use');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('terminate  waiting  op-1');
    expect(stdout).toContain('tasks   pay t-1');
    expect(stdout).toContain('not approved yet');
    expect(stderr).toContain('backstep operation approve op-1');
  });

  it.each(['approve', 'reject'])('begins or never does by %s', async (verb) => {
    const decision = { actor: 'ben', approved: verb === 'approve', comment: 'seen' };
    const after = { ...one, done: 1, consent: { ...consent, decision } };
    server.answer = (_request, response) => json(response, after);
    const { code, stdout } = await ask('operation', verb, 'op-1', '--comment', 'seen');
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(/(approved|rejected) by ben: seen/);
    const { body, path } = server.seen[0]!;
    expect([path, JSON.parse(body)]).toEqual([`/v1/operations/op-1:${verb}`, { comment: 'seen' }]);
  });

  it('that was approved and could not be done ends with another exit code', async () => {
    const decision = { actor: 'ben', approved: true, comment: null };
    const after = { ...one, refused: 1, consent: { ...consent, decision } };
    server.answer = (_request, response) => json(response, after);
    expect((await ask('operation', 'approve', 'op-1')).code).toBe(EXIT.endedOtherwise);
  });

  it('is listed by its status', async () => {
    server.answer = (_request, response) =>
      json(response, { items: [waiting], page: { nextCursor: null } });
    await ask('operation', 'list', '--status', 'waiting');
    expect(server.seen[0]!.path).toContain('status=waiting');
  });
});
