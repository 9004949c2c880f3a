import assert from 'node:assert/strict';
import { membersOf, type Reply } from '../exchange.js';
import { expectAnswer, isRefusal } from '../judge.js';
import type { Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const PAGE_BYTES = 2 * 1024 * 1024;
/** One item may begin within a page and end beyond it: its parameters, and its input as sent. */
const AROUND = 600_000;
const TASKS = 224;
const PER_BATCH = 16;
const FLOW = 'lab-four-steps';

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly page: { readonly nextCursor: string | null };
}

/** Two hundred tasks of the largest parameters, unless they are there already. */
async function fill(stand: Stand): Promise<void> {
  const { items = [] } = membersOf<Page>(await stand.send({ path: '/v1/tasks?limit=1' }));
  if (items.length > 0) return;
  const body = { flow: FLOW, parameters: { text: 'x'.repeat(261_000) } };
  const batch = JSON.stringify({ tasks: Array.from({ length: PER_BATCH }, () => body) });
  for (let made = 0; made < TASKS; made += PER_BATCH) {
    await expectAnswer(stand, { path: '/v1/tasks:batch', body: batch }, { status: 200 });
  }
}

function pageOf(reply: Reply): Page {
  assert.equal(reply.status, 200, `${reply.status} ${reply.text.slice(0, 200)}`);
  const { length } = reply.text;
  assert.ok(length <= PAGE_BYTES + AROUND, `a page of ${length} bytes`);
  return JSON.parse(reply.text) as Page;
}

/** Lists of many large tasks. */
export const lists: Subject = {
  name: 'lists',
  reproductions: [
    {
      rule: 'a list shows summaries: no parameters, no steps',
      sends: 'GET /v1/tasks?limit=200 of 224 tasks of 256 KiB',
      limitMs: 180_000,
      play: async (stand) => {
        await fill(stand);
        const reply = await stand.send({ path: '/v1/tasks?limit=200' });
        const { items } = pageOf(reply);
        assert.equal(items.length, 200);
        for (const item of items) {
          assert.ok(!('parameters' in item) && !('steps' in item), Object.keys(item).join(', '));
        }
        assert.ok(reply.ms <= stand.within(500), `${Math.round(reply.ms)} ms`);
      },
    },
    {
      rule: 'a list of whole tasks comes in pages of bounded bytes, and nothing is left out',
      sends: 'GET /v1/tasks?full=true&limit=200, page after page',
      limitMs: 180_000,
      play: async (stand) => {
        await fill(stand);
        const seen = new Set<unknown>();
        let cursor: string | null = '';
        while (cursor !== null) {
          const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const path = `/v1/tasks?full=true&limit=200&flow=${FLOW}${at}`;
          const page = pageOf(await stand.send({ path }));
          assert.ok(page.items.length > 0 || page.page.nextCursor === null, 'an empty page');
          for (const { taskId, parameters } of page.items) {
            assert.ok(parameters !== undefined, 'a whole task has its parameters');
            seen.add(taskId);
          }
          cursor = page.page.nextCursor;
        }
        assert.equal(seen.size, TASKS);
      },
    },
    {
      rule: 'twenty lists of whole tasks at once fit into memory',
      sends: 'GET /v1/tasks?full=true&limit=200, twenty at once',
      limitMs: 180_000,
      play: async (stand) => {
        await fill(stand);
        const path = '/v1/tasks?full=true&limit=200';
        const replies = await Promise.all(Array.from({ length: 20 }, () => stand.send({ path })));
        for (const reply of replies) if (reply.status !== 429) pageOf(reply);
        assert.ok(
          replies.some(({ status }) => status === 200),
          'nobody got a page',
        );
      },
    },
    {
      rule: 'twenty plain lists at once fit into memory',
      sends: 'GET /v1/tasks?limit=200, twenty at once',
      limitMs: 180_000,
      play: async (stand) => {
        await fill(stand);
        const path = '/v1/tasks?limit=200';
        const replies = await Promise.all(Array.from({ length: 20 }, () => stand.send({ path })));
        for (const reply of replies) if (reply.status !== 429) pageOf(reply);
      },
    },
    ...[65, 1_000].map((count) => ({
      rule: `a list that is filtered by ${count} labels is refused`,
      sends: `GET /v1/tasks with ${count} label filters`,
      play: async (stand: Stand) => {
        const filters = Array.from({ length: count }, (_, n) => `label.l${n}=x`).join('&');
        const reply = await stand.send({ path: `/v1/tasks?${filters}` });
        // Node itself refuses a request line beyond its own bound.
        assert.ok(isRefusal(reply), `${reply.status} ${reply.text.slice(0, 200)}`);
      },
    })),
    {
      rule: 'a list that is filtered by as many labels as a task may have is answered',
      sends: 'GET /v1/tasks with 64 label filters',
      play: async (stand) => {
        const filters = Array.from({ length: 64 }, (_, n) => `label.l${n}=x`).join('&');
        await expectAnswer(stand, { path: `/v1/tasks?${filters}` }, { status: 200 });
      },
    },
  ],
};
