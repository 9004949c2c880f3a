import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { hashOfEntry } from '#access';
import type { AuditEntry } from '#ports';
import { makeAuditKey } from '../audit/make-key.js';
import { openStoredLog, type StoredEntry, type StoredLog } from '../audit/stored-log.js';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const FLOWS = { holds: { steps: [{ name: 'w', wait: { signal: 'never' } }] } };

/** Something that is done to the stored entries, and how that is told. */
interface Tampering {
  readonly what: string;
  readonly of: (entries: readonly StoredEntry[]) => readonly StoredEntry[];
  readonly told: RegExp;
}

const TAMPERINGS: readonly Tampering[] = [
  {
    what: 'was given another reason',
    of: (entries) => entries.map((entry) => (entry.place === 2 ? withReason(entry) : entry)),
    told: /entry 2 is changed$/m,
  },
  {
    what: 'was given another reason and the hash that goes with it',
    of: (entries) =>
      entries.map((entry) => (entry.place === 2 ? hashed(withReason(entry)) : entry)),
    told: /entry 2 is not the one that was there$/m,
  },
  {
    what: 'was taken out',
    of: (entries) => entries.filter(({ place }) => place !== 2),
    told: /entry 2 is missing$/m,
  },
  {
    what: 'was taken out at the beginning',
    of: (entries) => entries.slice(1),
    told: /entry 1 is missing$/m,
  },
  {
    what: 'stands in the place of the one behind it',
    of: (entries) => entries.map(({ place }) => ({ place, content: contentAt(entries, place) })),
    // A row of SQLite holds its number twice: one that contradicts its own place cannot be read.
    told: /entry 2 is (changed|missing)$|entries 2, 3 are unreadable;/m,
  },
  {
    what: 'stands in the place of the one behind it, and has its number',
    of: (entries) => {
      return entries.map(({ content, place }) => {
        const { seq } = content;
        const moved = contentAt(entries, place);
        return { place, content: seq === undefined ? moved : { ...moved, seq } };
      });
    },
    told: /entry 2 is changed$/m,
  },
];

function withReason({ content, place }: StoredEntry): StoredEntry {
  return { place, content: { ...content, reason: 'nobody knows' } };
}

function hashed({ content, place }: StoredEntry): StoredEntry {
  const entry = { ...content, seq: place } as unknown as AuditEntry;
  return { place, content: { ...content, hash: hashOfEntry(entry) } };
}

/** The content of the second entry and of the third change places. */
function contentAt(entries: readonly StoredEntry[], place: number): StoredEntry['content'] {
  const other = { 2: 3, 3: 2 }[place] ?? place;
  return entries.find((entry) => entry.place === other)!.content;
}

const isHead = (line: string): boolean => line.includes('"event":"audit_head"');

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`the audit log in the store of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`audit-log-${kind}`);
    let log: StoredLog;
    let entries: readonly StoredEntry[];
    let head: string;
    let publicFile: string;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const flows = await writeFlows(trial.folder, FLOWS);
        const files = await makeAuditKey(trial.folder);
        ({ publicFile } = files);
        // Heads leave the machine by the log, however little is logged.
        const settings = { flows, auditKeyFile: files.keyFile, log: 'error' };
        log = await openStoredLog(kind, trial, settings);
        const api = new Api(log.url);
        const taskId = await api.create('holds');
        for (const verb of ['pause', 'resume', 'pause', 'resume']) {
          const { status } = await api.act(taskId, verb, { reason: `${verb} it` });
          expect(status).toBe(200);
        }
        entries = await log.read();
        expect(entries.map(({ place }) => place)).toEqual([1, 2, 3, 4]);
      }),
    );
    afterAll(() => trial.close());

    function cli(...argv: readonly string[]): Promise<CliEnd> {
      return new CliChild(['audit', ...argv, '--url', log.url], { cwd: trial.folder }).end;
    }

    function verify(...more: readonly string[]): Promise<CliEnd> {
      return cli('verify', ...more);
    }

    trial.it('is found right as it is', async () => {
      const { code, stdout } = await verify();
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^4:[0-9a-f]{64}\n$/)]);
      head = stdout.trim();
    });

    for (const { of, told, what } of TAMPERINGS) {
      trial.it(`is found wrong where an entry ${what}`, async () => {
        await log.write(of(entries));
        const { code, stderr, stdout } = await verify();
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(told);
      });
    }

    trial.it('is found cut off at its end by who kept the last entry', async () => {
      await log.write(entries.slice(0, -1));
      expect((await verify()).code).toBe(0);
      const { code, stderr } = await verify('--head', head);
      expect([code, stderr]).toEqual([1, expect.stringContaining('entry 4 is not the one')]);
      await log.write(entries);
      expect((await verify('--head', head)).code).toBe(0);
    });

    trial.it('is found cut off by its signed heads, and only with the right key', async () => {
      const heads = path.join(trial.folder, 'heads.jsonl');
      const asked = await cli('head');
      expect(asked.code).toBe(0);
      await log.restart();
      const logged = (await readFile(log.logFile, 'utf8')).split('\n').filter(isHead);
      expect(logged.map((line) => JSON.parse(line).seq)).toContain(4);
      await writeFile(heads, [asked.stdout.trim(), ...logged].join('\n'));
      const signed = ['--head', heads, '--public-key', publicFile];
      const count = logged.length + 1;
      const right = await verify(...signed);
      expect([right.code, right.stderr]).toEqual([
        0,
        expect.stringContaining(`Signed heads: ${count}, `),
      ]);
      await log.write(entries.slice(0, -1));
      expect(await verify(...signed)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('entry 4 is missing at the end'),
      });
      await log.write(
        entries.map((entry) => (entry.place === 4 ? hashed(withReason(entry)) : entry)),
      );
      expect((await verify()).code).toBe(0);
      const changed = await verify(...signed);
      expect([changed.code, changed.stderr]).toEqual([
        1,
        expect.stringContaining('entry 4 is not the one of the head of entry 4, signed at '),
      ]);
      await log.write(entries);
      const { publicFile: other } = await makeAuditKey(trial.folder);
      const foreign = await verify('--head', heads, '--public-key', other);
      expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('does not hold')]);
    });
  });
});
