import assert from 'node:assert/strict';
import { PRACTICE_FLOWS } from '../../load/index.js';
import type { Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const RETRIES = 160;
const ACTOR = { 'x-backstep-actor': 'mallory' };

/** Has a task retried again and again, each time as soon as that is legal; tells the statuses. */
async function actOften(stand: Stand, taskId: string): Promise<readonly number[]> {
  const answers: number[] = [];
  const path = `/v1/tasks/${taskId}:retry`;
  while (answers.length < RETRIES) {
    const reply = await stand.send({ path, body: { reason: `turn ${answers.length}` } });
    assert.ok(reply.status < 500, reply.text.slice(0, 200));
    // The last retry is still on its way.
    if (reply.status === 409) continue;
    answers.push(reply.status);
    if (reply.status === 429) assert.ok(reply.headers['retry-after'], 'no Retry-After');
  }
  return answers;
}

/** Persons who act far more often than persons do. */
export const history: Subject = {
  name: 'history',
  flows: { 'lab-stuck': PRACTICE_FLOWS['lab-stuck'] },
  reproductions: [
    {
      rule: 'how a task began stays in its history, however often somebody has it retried',
      sends: '160 times :retry of a failed rollback, one after the other',
      limitMs: 180_000,
      play: async (stand) => {
        const path = '/v1/tasks?wait=15s';
        const body = { flow: 'lab-stuck', parameters: {} };
        const made = await stand.send({ path, body, headers: ACTOR });
        const { status, taskId } = JSON.parse(made.text) as { status: string; taskId: string };
        assert.equal(status, 'rollback_failed');
        const answers = await actOften(stand, taskId);
        const [first] = await stand.api.events(taskId);
        assert.equal(first?.kind, 'created', JSON.stringify(first));
        assert.match(JSON.stringify(first), /mallory/);
        assert.ok(answers.includes(429), 'nobody was asked to slow down');
        assert.ok(answers.includes(200), 'nobody could act at all');
      },
    },
  ],
};
