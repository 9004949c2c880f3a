import assert from 'node:assert/strict';
import { membersOf, type Reply } from '../exchange.js';
import type { Subject } from '../reproduction.js';

const PER_ENTRY = 20;
const PER_ANSWER = 200;
const ANSWER_BYTES = 1_000_000;

interface Faulty {
  readonly errors?: readonly unknown[];
}

const unknownMembers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 1]));

function expectShort(reply: Reply): void {
  const { length } = reply.text;
  assert.ok(length <= ANSWER_BYTES, `the answer has ${length} bytes`);
  const { errors = [] } = membersOf<Faulty>(reply);
  assert.ok(errors.length <= PER_ANSWER, `${errors.length} errors`);
}

/** Requests with more mistakes than anybody reads. */
export const errorLists: Subject = {
  name: 'error lists',
  reproductions: [
    {
      rule: 'a batch of a thousand entries of three hundred mistakes is answered briefly',
      sends: 'POST /v1/tasks:batch, 2.6 MB',
      play: async (stand) => {
        const entry = unknownMembers(300);
        const body = { tasks: Array.from({ length: 1_000 }, () => entry) };
        const reply = await stand.send({ path: '/v1/tasks:batch', body });
        expectShort(reply);
        const { results = [] } = membersOf<{ results: { problem?: Faulty }[] }>(reply);
        const counts = results.map(({ problem }) => problem?.errors?.length ?? 0);
        const most = Math.max(0, ...counts);
        assert.ok(most <= PER_ENTRY, `${most} errors in an entry`);
        const all = counts.reduce((sum, count) => sum + count, 0);
        assert.ok(all <= PER_ANSWER, `${all} errors in the answer`);
        if (reply.status === 200) assert.equal(results.length, 1_000);
        assert.ok(reply.ms <= stand.within(1_500), `${Math.round(reply.ms)} ms`);
      },
    },
    {
      rule: 'a request of twenty thousand mistakes is answered briefly',
      sends: 'POST /v1/tasks with 20,000 unknown members',
      play: async (stand) => {
        const body = { flow: 'lab-succeed', ...unknownMembers(20_000) };
        const reply = await stand.send({ path: '/v1/tasks', body });
        assert.equal(reply.status, 400);
        expectShort(reply);
      },
    },
    {
      rule: 'labels of twenty thousand mistakes are answered briefly',
      sends: 'POST /v1/tasks with 20,000 labels that are no texts',
      play: async (stand) => {
        const body = { flow: 'lab-succeed', labels: unknownMembers(20_000) };
        const reply = await stand.send({ path: '/v1/tasks', body });
        assert.equal(reply.status, 400);
        expectShort(reply);
      },
    },
    {
      rule: 'a query of a thousand mistakes is answered briefly',
      sends: 'GET /v1/tasks with 1,000 unknown parameters',
      play: async (stand) => {
        const query = Object.keys(unknownMembers(1_000)).join('=1&');
        expectShort(await stand.send({ path: `/v1/tasks?${query}=1` }));
      },
    },
    {
      rule: 'a flow text of fifty thousand mistakes is answered briefly',
      sends: 'POST /v1/flows:validate with 50,000 steps that say nothing',
      play: async (stand) => {
        const body = { x: { steps: Array.from({ length: 50_000 }, () => ({ no: 1 })) } };
        const reply = await stand.send({ path: '/v1/flows:validate', body });
        expectShort(reply);
        const { problems = [] } = membersOf<{ problems: unknown[] }>(reply);
        assert.ok(problems.length <= PER_ANSWER, `${problems.length} problems`);
      },
    },
  ],
};
