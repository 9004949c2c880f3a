import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;

beforeAll(async () => {
  server = await StubServer.start();
});
afterAll(() => server.stop());

/** The lines that `task why` says about a cause with these remedies. */
async function saidOf(next: readonly object[], evidence: object = {}): Promise<string> {
  const cause = { code: 'CHILD_STUCK', message: 'It is stuck.', since: null, evidence, next };
  const told = { moving: false, standsStill: true, causes: [cause], isCut: false, estimate: null };
  server.answer = (_request, response) => json(response, told);
  const { stderr } = await run(['task', 'why', 'own', '--url', server.url]);
  return stderr;
}

describe('task why', () => {
  it.each([
    ['retry', {}, 'task retry own --reason "..."'],
    ['skip', { step: 'a b' }, `task skip own --step 'a b' --reason "..."`],
    ['skip', { step: 'pay', taskId: 'child' }, 'task skip child --step pay --reason "..."'],
    ['rollback', { to: 'pay' }, 'task rollback own --to pay --reason "..."'],
    ['approve', { step: 'ask', taskId: 'child' }, 'task approve child --step ask --comment "..."'],
    ['complete', { step: 'x#1/y' }, `task complete own 'x#1/y' --reason "..."`],
    ['children', {}, 'task children own'],
    ['locks', {}, 'lock list'],
    ['why', { taskId: 'holder' }, 'task why holder'],
    ['check_broker', {}, 'doctor'],
  ])('gives a command to paste for %s %j', async (action, more, command) => {
    const said = await saidOf([{ action, label: 'Do it', ...more }]);
    expect(said).toContain(`  ${action}: Do it\n`);
    expect(said).toContain(` ${command} --url`);
  });

  it('names the signal that a child task waits for', async () => {
    const cause = { evidence: { signal: 'go on' } };
    const said = await saidOf([{ action: 'signal', label: 'Send it', taskId: 'child' }], { cause });
    expect(said).toContain(`task signal child 'go on'`);
  });
});
