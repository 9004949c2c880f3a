import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PRACTICE_FLOWS } from '../../load/index.js';
import { waitUntil } from '../../servers/wait-until.js';
import type { Subject } from '../reproduction.js';

const LIVE_MAX = 50;
const COUNTED_EVERY_MS = 10_000;
const EDITS = 60;
const EDIT_EVERY_MS = 200;
const VERSIONS = 12;

const step = (ms: number): object => ({
  normal: { module: 'lab', command: 'sleep', parameters: { ms } },
});

/** Clients and editors that never stop. */
export const quotas: Subject = {
  name: 'quotas',
  settings: { maxLiveTasks: String(LIVE_MAX) },
  flows: { 'lab-long': PRACTICE_FLOWS['lab-long'] },
  reproductions: [
    {
      rule: 'a client cannot fill the store with tasks that go on',
      sends: 'tasks that sleep for a minute, until one is refused',
      limitMs: 180_000,
      play: async (stand) => {
        const sent = { path: '/v1/tasks', body: { flow: 'lab-long' } };
        const until = performance.now() + 2 * COUNTED_EVERY_MS;
        let last = 201;
        while (last === 201 && performance.now() < until) {
          const reply = await stand.send(sent);
          last = reply.status;
          if (last === 429) assert.ok(reply.headers['retry-after'], 'no Retry-After');
          await delay(20);
        }
        assert.equal(last, 429);
      },
    },
    {
      rule: 'a file that is written over and over does not make a version each time',
      sends: `${EDITS} edits of a flow file, five a second`,
      limitMs: 180_000,
      play: async (stand) => {
        await stand.addFlow('edited', [step(1)]);
        const file = path.join(stand.flows, 'edited.json');
        for (let edit = 2; edit <= EDITS; edit += 1) {
          writeFileSync(file, JSON.stringify({ edited: [step(edit)] }));
          await delay(EDIT_EVERY_MS);
        }
        // Once nobody writes any more, time passes until the newest text is a version.
        await waitUntil(
          async () => {
            const { version } = await stand.api.get<{ version: number }>('/v1/flows/edited');
            assert.ok(version > 1, `version ${version}`);
          },
          { what: 'the edited flow', deadlineMs: 60_000 },
        );
        const { version } = await stand.api.get<{ version: number }>('/v1/flows/edited');
        assert.ok(version <= VERSIONS, `version ${version}`);
      },
    },
  ],
};
