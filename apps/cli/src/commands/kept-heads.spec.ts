import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chained, signAnchor, type SignedHead, signHead } from '#access';
import type { AuditAnchor, AuditEntry, AuditFact } from '#ports';
import { EXIT } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const OTHER = generateKeyPairSync('ed25519');
const AT = '2026-01-01T00:00:00.000Z';

let server: StubServer;
let folder: string;
let entries: AuditEntry[];
let signed: SignedHead | null;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-heads-'));
  entries = [];
  signed = null;
  for (let n = 1; n <= 5; n += 1) addEntry('ci');
  writeFileSync(path.join(folder, 'audit.pub'), pem(publicKey));
  server = await StubServer.start();
  server.answer = ({ path: asked }, response) => {
    const items = entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));
    if (asked === '/v1/audit/head') json(response, { head: signed });
    else json(response, { items, page: { nextCursor: null } });
  };
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

function addEntry(actor: string, more: Partial<AuditFact> = {}): void {
  const who = { at: 1_000, actor, keyId: null, requestId: 'r', reason: null, status: 200 };
  const what = { operation: 'POST /v1/tasks', target: '/v1/tasks' };
  entries.push(chained({ ...who, ...what, ...more }, entries.at(-1) ?? null));
}

function pem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }) as string;
}

function headOf(seq: number, key = privateKey): SignedHead {
  return signHead({ seq, hash: entries[seq - 1]!.hash, at: AT }, key);
}

function keep(...lines: readonly (object | string)[]): void {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path.join(folder, 'heads.jsonl'), `${texts.join('\n')}\n`);
}

function audit(...argv: readonly string[]): Promise<CliRun> {
  return run(['audit', ...argv, '--url', server.url], { cwd: folder });
}

const verify = (...more: readonly string[]): Promise<CliRun> =>
  audit('verify', '--head', 'heads.jsonl', ...more);
const withKey = ['--public-key', 'audit.pub'];

describe('audit head', () => {
  it('prints the head in one line, whatever the format', async () => {
    signed = headOf(5);
    expect(await audit('head')).toMatchObject({ code: EXIT.done, stdout: line(signed) });
    expect(await audit('head', '-o', 'json')).toMatchObject({ stdout: line(signed) });
  });

  it('says so where there is none', async () => {
    const { code, stderr, stdout } = await audit('head');
    expect([code, stdout]).toEqual([EXIT.notFound, '']);
    expect(stderr).toContain('the audit log is not signed, or it is empty');
    expect(stderr).toContain('BACKSTEP_AUDIT_KEY_FILE');
  });
});

const line = (head: SignedHead): string => `${JSON.stringify(head)}\n`;

describe('audit verify with a file of heads', () => {
  it('finds a log right that goes on behind each of them', async () => {
    const ofLog = { level: 'info', time: AT, event: 'audit_head', ...headOf(3), msg: 'x' };
    keep(headOf(5), '', ofLog);
    const { code, stderr, stdout } = await verify(...withKey);
    expect([code, stdout]).toEqual([EXIT.done, `5:${entries[4]?.hash}\n`]);
    expect(stderr).toContain('Signed heads: 2, and the log goes on behind each.');
  });

  it('names the entries that were cut off at the end', async () => {
    keep(headOf(3), headOf(5), headOf(4));
    entries.length = 3;
    expect(await verify(...withKey)).toMatchObject({
      code: EXIT.endedOtherwise,
      stdout: '',
      stderr: `error: entries 4 to 5 are missing at the end: there is the head of entry 5, signed at ${AT}\n`,
    });
    keep(headOf(3), signHead({ seq: 4, hash: 'ab'.repeat(32), at: AT }, privateKey));
    expect((await verify(...withKey)).stderr).toContain('error: entry 4 is missing at the end');
  });

  it('names the entry that took the place of one that was cut off', async () => {
    keep(headOf(5));
    entries.length = 4;
    addEntry('mallory');
    addEntry('ci');
    expect((await audit('verify')).code).toBe(EXIT.done);
    expect(await verify(...withKey)).toMatchObject({
      code: EXIT.endedOtherwise,
      stderr: `error: entry 5 is not the one of the head of entry 5, signed at ${AT}\n`,
    });
  });

  it('names the head of a signature that does not hold', async () => {
    keep(headOf(5), headOf(4, OTHER.privateKey));
    const { code, stderr } = await verify(...withKey);
    expect(code).toBe(EXIT.endedOtherwise);
    expect(stderr).toContain(`error: the signature of the head of entry 4, signed at ${AT} `);
    expect(server.seen).toEqual([]);
  });

  it('takes several keys in a file, as after a change of the key', async () => {
    keep(headOf(5), headOf(4, OTHER.privateKey));
    writeFileSync(path.join(folder, 'audit.pub'), pem(publicKey) + pem(OTHER.publicKey));
    expect((await verify(...withKey)).code).toBe(EXIT.done);
  });

  it('says that signatures are not checked without a key', async () => {
    keep(headOf(5, OTHER.privateKey));
    const { code, stderr } = await verify();
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('The signatures of the heads are not checked: give --public-key.');
  });

  it.each([
    ['is empty', ['']],
    ['has a line that is not JSON', ['x']],
    ['has a head without a signature', [{ seq: 1, hash: 'ab'.repeat(32), at: AT }]],
    ['has an entry in the place of a head', [{ ...headSample(), hash: 'short' }]],
    ['has a head of no entry', [{ ...headSample(), seq: 0 }]],
  ])('takes no file that %s', async (_, lines) => {
    keep(...lines);
    const { code, stderr } = await verify();
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('heads.jsonl');
  });

  it('takes no key file that holds anything else', async () => {
    keep(headOf(5));
    const { publicKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const text of ['hello', pem(publicKey) + pem(ec)]) {
      writeFileSync(path.join(folder, 'audit.pub'), text);
      const { code, stderr } = await verify(...withKey);
      expect([code, stderr]).toEqual([
        EXIT.usage,
        expect.stringContaining('audit.pub must hold Ed25519 public keys'),
      ]);
    }
    expect((await verify('--public-key', 'none')).stderr).toContain('none cannot be read: ENOENT');
  });
});

describe('audit verify of a log of which old entries were removed', () => {
  /** Entry 6 says that those up to 2 were removed; `upTo`: so many really were. */
  function remove(key: KeyObject | null, upTo = 2, more: Partial<AuditAnchor> = {}): void {
    const at = Date.parse(AT);
    const bare = { seq: 2, hash: entries[1]!.hash, ...more };
    const anchor = key === null ? bare : signAnchor(bare, at, key);
    addEntry('backstep', { at, anchor });
    entries.splice(0, upTo);
  }

  it('says what is gone, and since when', async () => {
    const { hash } = entries[1]!;
    remove(null);
    const { code, stderr, stdout } = await audit('verify', '-o', 'json');
    expect([code, stderr.split('\n')]).toEqual([
      EXIT.done,
      [
        `Entries 1 to 2 were removed by retention, the last ones at ${AT}.`,
        '4 entries, none changed, removed or moved. The last one:',
        '',
      ],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ seq: 6, removed: 2 });
    expect((await audit('verify', '--head', `2:${hash}`)).code).toBe(EXIT.done);
  });

  it('tells a cut from a removal', async () => {
    remove(privateKey, 3);
    const { code, stderr } = await audit('verify');
    expect([code, stderr]).toEqual([
      EXIT.endedOtherwise,
      expect.stringContaining('error: entry 1 is missing'),
    ]);
    expect(stderr).toContain('Entries 1 to 3 are gone, and no entry says that retention did it.');
  });

  it.each([
    ['is not signed', null],
    ['is signed by somebody else', OTHER.privateKey],
  ])('does not believe a removal that %s', async (_, key) => {
    remove(key);
    const { code, stderr } = await audit('verify', ...withKey);
    expect(code).toBe(EXIT.endedOtherwise);
    expect(stderr).toContain('no entry signed with that key says that retention did it');
    expect((await audit('verify')).code).toBe(EXIT.done);
  });

  it('believes one that is signed, and says what was removed before without a signature', async () => {
    remove(privateKey, 2, { unsigned: 1 });
    const { code, stderr } = await audit('verify', ...withKey);
    expect([code, stderr]).toEqual([
      EXIT.done,
      expect.stringContaining('Up to entry 1 no signature told of it: nothing vouches.'),
    ]);
  });

  it('does not believe that an entry was old whose head is young', async () => {
    const [first, fifth] = [headOf(1), headOf(5)];
    const { hash } = entries[0]!;
    keep(first, fifth);
    remove(privateKey, 2, { kept: 86_400_000 });
    const { code, stderr } = await verify(...withKey);
    expect([code, stderr]).toEqual([
      EXIT.endedOtherwise,
      expect.stringContaining(
        `error: entry 1 was removed too early: there is the head of entry 1, signed at ${AT}\n`,
      ),
    ]);
    const long = new Date(Date.parse(AT) - 86_400_000).toISOString();
    keep(signHead({ seq: 1, hash, at: long }, privateKey), fifth);
    expect((await verify(...withKey)).code).toBe(EXIT.done);
    // The last one that was removed may have been the end for long: it is known by its hash.
    keep(signHead({ seq: 2, hash: entries[0]!.prev, at: AT }, privateKey));
    expect((await verify(...withKey)).code).toBe(EXIT.done);
  });

  it('compares the heads that it can, and says how many it cannot', async () => {
    keep(headOf(1), headOf(2), headOf(5));
    remove(privateKey);
    const { code, stderr } = await verify(...withKey);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('Not compared: 1, as retention has removed their entries.');
    keep(signHead({ seq: 2, hash: 'ab'.repeat(32), at: AT }, privateKey));
    expect((await verify()).stderr).toContain('error: entry 2 is not the one of the head');
  });

  it('asks for newer heads where it can compare none', async () => {
    const old = entries[0]!;
    keep(headOf(1));
    remove(privateKey);
    const { code, stderr } = await verify();
    expect(code).toBe(EXIT.endedOtherwise);
    expect(stderr).toContain('error: the entries of all heads were removed by retention');
    const asked = await audit('verify', '--head', `1:${old.hash}`);
    expect([asked.code, asked.stderr]).toEqual([
      EXIT.endedOtherwise,
      expect.stringContaining('error: entry 1 of --head was removed by retention'),
    ]);
  });
});

function headSample(): SignedHead {
  return signHead({ seq: 1, hash: 'ab'.repeat(32), at: AT }, privateKey);
}
