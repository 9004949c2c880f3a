import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

const ID = '01a200b2-70b8-7cc9-a2a4-6a6d6b2ab5f1';

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const remove = (...argv: string[]) => run(['task', 'delete', ...argv, '--url', server.url]);

it('deletes the task that a part of its id names, with the reason and the revision', async () => {
  server.answer = ({ method }, response) => {
    if (method === 'DELETE') response.writeHead(204).end();
    else json(response, { items: [{ taskId: ID }], page: { nextCursor: null } });
  };
  const guards = ['--reason', 'für\nticket 4711', '--if-match', '9'];
  const { code, stderr } = await remove('01a200b2', ...guards);
  expect([code, stderr]).toEqual([EXIT.done, `${ID} is gone.\n`]);
  const reason = Buffer.from('für ticket 4711').toString('latin1');
  expect(server.seen.at(-1)).toMatchObject({
    method: 'DELETE',
    path: `/v1/tasks/${ID}`,
    headers: { 'if-match': '"9"', 'x-backstep-reason': reason },
  });
});

it('says why a task must stay', async () => {
  server.answer = ({ method }, response) => {
    if (method === 'DELETE') problem(response, { status: 409, code: 'ILLEGAL_ACTION' });
    else json(response, { items: [], page: { nextCursor: null } });
  };
  const { code, stderr } = await remove(ID);
  expect(code).toBe(EXIT.conflict);
  expect(stderr).toContain('ILLEGAL_ACTION');
});
