import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '#access';
import type { FileProblem } from '#flow-files';
import { chain } from '#testing';
import { misfits } from '../docs/misfits-spec.js';
import { Gateway } from '../gateway-spec.js';

const IN_FLOW: FileProblem = {
  file: '/srv/flow-configs/m3.json',
  pointer: '/vm3/0/normal',
  line: 4,
  column: 33,
  code: 'MISSING_MEMBER',
  message: '`command` is missing.',
  hint: 'Add it.',
};
const IN_FILE: FileProblem = {
  ...IN_FLOW,
  file: '/srv/flow-configs/m4.json',
  pointer: '',
  line: 1,
  column: 8,
  code: 'SYNTAX',
  message: 'A comma is missing.',
};
const IN_FOLDER: FileProblem = {
  ...IN_FILE,
  file: '/srv/flow-configs',
  code: 'FOLDER_NOT_READABLE',
  message: 'The folder is not there.',
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.open([chain(['a'])], { asksForKeys: true });
});
afterAll(() => gateway.close());

let number = 0;
async function keyFor(flows: readonly string[] | null): Promise<Record<string, string>> {
  number += 1;
  const secret = { id: `${number}`.padStart(16, '0'), secret: 's'.repeat(43) };
  const order = { name: `k${number}`, role: 'operator', ...(flows !== null && { flows }) } as const;
  const { record, text } = makeKey(order, secret, gateway.world.clock.now());
  await gateway.world.store.keys.put(record, null);
  return { authorization: `Bearer ${text}` };
}

describe('a broken flow file', () => {
  it('is listed with its place and without the folders around it', async () => {
    gateway.fileProblems = [IN_FLOW, IN_FILE, IN_FOLDER];
    const answer = await gateway.ask({ url: '/v1/flows', headers: await keyFor(null) });
    expect(misfits('Flows', answer.json())).toEqual([]);
    expect(answer.json()).toMatchObject({
      items: [{ name: 'test-flow' }],
      files: {
        problems: [
          { flow: 'vm3', file: 'm3.json', line: 4, column: 33, code: 'MISSING_MEMBER' },
          { flow: null, file: 'm4.json', line: 1, column: 8, code: 'SYNTAX' },
          { flow: null, file: null, code: 'FOLDER_NOT_READABLE' },
        ],
      },
    });
    expect(answer.body).not.toContain('/srv');
  });

  it('is shown as far as its flows are', async () => {
    gateway.fileProblems = [IN_FLOW, IN_FILE];
    const seen = async (flows: readonly string[]) => {
      const answer = await gateway.ask({ url: '/v1/flows', headers: await keyFor(flows) });
      const { files } = answer.json() as { files: { problems: { flow: string | null }[] } };
      return files.problems;
    };
    expect(await seen(['vm*'])).toMatchObject([{ flow: 'vm3' }]);
    expect(await seen(['other'])).toEqual([]);
  });

  it.each([
    ['that has the flow', IN_FLOW, 'It is broken in m3.json:4:33: `command` is missing. Add it.'],
    ['that may have it', IN_FILE, 'A broken file may define it: m4.json:1:8: A comma is missing.'],
    ['that cannot be found', IN_FOLDER, 'A broken file may define it: the folder of flows:'],
  ])('%s is the reason why there is no such flow', async (_what, problem, reason) => {
    gateway.fileProblems = [problem];
    const headers = await keyFor(null);
    const started = await gateway.post('/v1/tasks', { flow: 'vm3' }, headers);
    expect(started.statusCode).toBe(404);
    expect(started.json()).toMatchObject({
      code: 'FLOW_NOT_FOUND',
      detail: expect.stringContaining(reason),
      errors: [{ pointer: '/flow', hint: expect.stringContaining(reason) }],
    });
    const read = await gateway.ask({ url: '/v1/flows/vm3', headers });
    expect(read.json()).toMatchObject({
      code: 'FLOW_NOT_FOUND',
      detail: expect.stringContaining(reason),
    });
  });

  it('is no reason where it has another flow, or one that nobody may see', async () => {
    gateway.fileProblems = [IN_FLOW];
    for (const [flow, flows] of [
      ['vm4', null],
      ['vm3', ['test-*']],
    ] as const) {
      const answer = await gateway.post('/v1/tasks', { flow }, await keyFor(flows));
      expect(answer.body).not.toContain('m3.json');
    }
  });
});
