import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chained } from '#access';
import type { AuditEntry } from '#ports';
import { EXIT } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

let server: StubServer;
let entries: AuditEntry[];
beforeEach(async () => {
  entries = [];
  for (let n = 1; n <= 5; n += 1) {
    const who = { at: 1_000 * n, actor: 'ci', keyId: null, requestId: `r-${n}`, reason: 'r' };
    const what = { operation: 'POST /v1/tasks/{taskId}:undo', target: '/v1/tasks/t:undo' };
    entries.push(chained({ ...who, ...what, status: 200 }, entries.at(-1) ?? null));
  }
  server = await StubServer.start();
  server.answer = ({ path }, response) => {
    const { searchParams } = new URL(path, 'http://stub');
    const isNewest = searchParams.get('first') === 'newest';
    const items = (isNewest ? entries.toReversed() : entries)
      .slice(0, Number(searchParams.get('limit')))
      .map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));
    json(response, { items, page: { nextCursor: null } });
  };
});
afterEach(() => server.stop());

function audit(...argv: readonly string[]): Promise<CliRun> {
  return run(['audit', ...argv, '--url', server.url]);
}

describe('audit list', () => {
  it('shows the newest entries', async () => {
    const { code, stdout } = await audit('list', '--limit', '2');
    expect(code).toBe(EXIT.done);
    const [, first, second, ...more] = stdout.trimEnd().split('\n');
    expect(first).toMatch(/^ *5 +1970-01-01 00:00:05 +ci +200 +POST \/v1\/tasks\/t:undo +r$/);
    expect(second).toMatch(/^ *4/);
    expect(more).toEqual([]);
  });

  it('asks for those of somebody who did something somewhere', async () => {
    await audit('list', '--actor', 'ann', '--operation', ':terminate', '--target', 't1');
    const { searchParams } = new URL(server.seen[0]!.path, 'http://stub');
    expect(Object.fromEntries(searchParams)).toEqual({
      first: 'newest',
      limit: '50',
      actor: 'ann',
      operation: ':terminate',
      target: 't1',
    });
  });
});

describe('audit verify', () => {
  it('prints the last entry of a log that nobody touched', async () => {
    const { code, stdout } = await audit('verify');
    expect([code, stdout]).toEqual([EXIT.done, `5:${entries[4]?.hash}\n`]);
    const asJson = await audit('verify', '-o', 'json');
    expect(JSON.parse(asJson.stdout)).toEqual({
      seq: 5,
      hash: entries[4]?.hash,
      removed: 0,
      unvouched: [],
    });
    const head = `3:${entries[2]?.hash}`;
    expect((await audit('verify', '--head', head)).code).toBe(EXIT.done);
  });

  it('says for which entries nothing vouches, and finds the log sound', async () => {
    const [second, third] = entries.splice(1) as [AuditEntry, AuditEntry];
    const end = { seq: 3, hash: entries[0]!.hash, hashSeq: 1 };
    entries.push(second, third, chained(third, end));
    const { code, stderr, stdout } = await audit('verify', '-o', 'json');
    expect([code, stderr]).toEqual([
      EXIT.done,
      expect.stringContaining('Entries 2 to 3 were unreadable'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ seq: 4, unvouched: [{ from: 2, to: 3 }] });
  });

  it.each([
    ['changed', (log: AuditEntry[]) => (log[1] = { ...log[1]!, actor: 'x' }), 'entry 2 is changed'],
    ['removed', (log: AuditEntry[]) => log.splice(1, 1), 'entry 2 is missing'],
    ['moved', (log: AuditEntry[]) => log.push(...log.splice(1, 1)), 'entry 2 is missing'],
  ])('names an entry that was %s', async (_, harm, words) => {
    harm(entries);
    const { code, stderr } = await audit('verify');
    expect([code, stderr]).toEqual([EXIT.endedOtherwise, `error: ${words}\n`]);
  });

  it('names an entry that is dated before others, unless a head behind it was kept', async () => {
    const { hash: _, prev: __, seq: ___, ...fact } = entries[4]!;
    const late = { ...fact, at: 86_400_000 };
    entries.push(chained(late, entries[4]!));
    entries.push(chained(fact, entries[5]!));
    const { code, stderr } = await audit('verify');
    expect([code, stderr]).toEqual([
      EXIT.endedOtherwise,
      expect.stringContaining('error: entry 7 is dated long before one in front of it\n'),
    ]);
    const before = await audit('verify', '--head', `6:${entries[5]?.hash}`);
    expect(before.code).toBe(EXIT.endedOtherwise);
    expect((await audit('verify', '--head', `7:${entries[6]?.hash}`)).code).toBe(EXIT.done);
  });

  it('tells that the end was cut off, to whoever kept the head', async () => {
    const head = `5:${entries[4]?.hash}`;
    entries.pop();
    const { code, stderr } = await audit('verify', '--head', head);
    expect(code).toBe(EXIT.endedOtherwise);
    expect(stderr).toContain('entry 5 is not the one of --head');
  });

  it('takes no head that is none', async () => {
    expect((await audit('verify', '--head', 'x')).code).toBe(EXIT.usage);
  });
});
