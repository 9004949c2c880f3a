import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());

const attempt = {
  taskId: '01a21f05-efea-74df-b17b-537e066dfc69',
  flow: 'pay',
  step: 'charge',
  id: 'orders/charge',
  direction: 'rollback',
  module: 'bank',
  command: 'refund',
  attempt: 2,
  executor: 'bank-1',
  build: 'bank@7',
  since: '2026-01-01T00:00:00.000Z',
  age: 61.4,
  deadline: null,
  progress: {
    state: 'copying',
    percent: 12.9,
    message: 'table 17',
    at: '2026-01-01T00:00:30.000Z',
  },
};

describe('attempt list', () => {
  it('asks with its filters, page by page', async () => {
    const asked: string[] = [];
    server.answer = (request, response) => {
      asked.push(request.path);
      const nextCursor = asked.length === 1 ? 'next' : null;
      json(response, { items: [attempt], isCut: false, page: { nextCursor } });
    };
    const filters = ['--executor', 'bank-1', '--age', '1m', '--direction', 'rollback'];
    const { stdout } = await run(['attempt', 'list', ...filters, '--all', '--url', server.url]);
    const query = 'executor=bank-1&direction=rollback&age=1m&limit=200';
    expect(asked).toEqual([`/v1/attempts?${query}`, `/v1/attempts?${query}&cursor=next`]);
    const row =
      /pay +undo orders\/charge +bank\.refund +2 +bank-1 +bank@7 +2026-01-01 00:00:00 +61 +copying, 12 % table 17 +-/g;
    expect(stdout.match(row)).toHaveLength(2);
  });
});
