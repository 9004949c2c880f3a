import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { chained } from '#access';
import type { AuditAnchor, AuditEntry } from '#ports';
import { type AuditKeyFiles, makeAuditKey } from '../audit/make-key.js';
import { openStoredLog, type StoredEntry, type StoredLog } from '../audit/stored-log.js';
import { CliChild, type CliEnd } from '../cli/cli-child.js';
import { Api } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { waitUntil } from '../servers/wait-until.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const FLOWS = { holds: { steps: [{ name: 'w', wait: { signal: 'never' } }] } };

/** Entries are old after two seconds, and looked at twice a second. */
const REMOVED_MS = 60_000;

interface Shown {
  readonly items: readonly { readonly seq: number; readonly anchor?: AuditAnchor }[];
}

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`retention of the audit log of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`audit-retention-${kind}`);
    let files: AuditKeyFiles;
    let log: StoredLog;
    let left: readonly StoredEntry[];

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const flows = await writeFlows(trial.folder, FLOWS);
        files = await makeAuditKey(trial.folder);
        const settings = { flows, auditKeyFile: files.keyFile, auditRetention: '2s' };
        log = await openStoredLog(kind, trial, settings);
        const api = new Api(log.url);
        const taskId = await api.create('holds');
        for (const verb of ['pause', 'resume', 'pause', 'resume']) {
          const { status } = await api.act(taskId, verb, { reason: `${verb} it` });
          expect(status).toBe(200);
        }
      }),
    );
    afterAll(() => trial.close());

    function verify(...more: readonly string[]): Promise<CliEnd> {
      const argv = ['audit', 'verify', ...more, '--url', log.url];
      return new CliChild(argv, { cwd: trial.folder }).end;
    }

    const withKey = (): Promise<CliEnd> => verify('--public-key', files.publicFile);

    trial.it('removes what is old, and leaves signed entries about that', async () => {
      const probe = async (): Promise<void> => {
        const answer = await fetch(`${log.url}/v1/audit?first=oldest`);
        const { items } = (await answer.json()) as Shown;
        // No other entry is left, and those about a removal are not removed for themselves.
        expect(items.every(({ anchor }) => anchor !== undefined)).toBe(true);
        expect(items.at(-1)?.anchor).toMatchObject({ seq: items[0]!.seq - 1 });
      };
      await waitUntil(probe, { what: 'old entries are removed', deadlineMs: REMOVED_MS });
      const { code, stderr } = await withKey();
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^Entries 1 to \d+ were removed by retention, the last ones at 20/),
      ]);
      left = await log.read();
      expect(left.length).toBeGreaterThan(1);
    });

    trial.it('is told from a cut, which it does not go on from', async () => {
      await log.write(left.slice(1));
      const { code, stderr } = await withKey();
      expect([code, stderr]).toEqual([1, expect.stringContaining('entry 1 is missing')]);
      const api = new Api(log.url);
      const taskId = await api.create('holds');
      for (const verb of ['pause', 'resume']) await api.act(taskId, verb, { reason: 'r' });
      const probe = async (): Promise<void> => {
        expect(await readFile(log.logFile, 'utf8')).toContain('"event":"audit_retention_failed"');
      };
      await waitUntil(probe, { what: 'retention says that it stands', deadlineMs: REMOVED_MS });
      expect((await log.read())[0]?.place).toBe(left[1]?.place);
    });

    trial.it('is told from one that somebody writes who has no key', async () => {
      const [oldest] = left as [StoredEntry];
      const { content, place } = left.at(-1)!;
      const end = { ...content, seq: place } as unknown as AuditEntry;
      const anchor = { seq: oldest.place, hash: String(oldest.content['hash']) };
      const { seq, ...forged } = chained({ ...end, anchor }, end);
      // A row of SQLite holds its number twice.
      const numbered = content['seq'] === undefined ? forged : { ...forged, seq };
      const added = { place: seq, content: numbered };
      await log.write([...left.slice(1), added]);
      expect((await verify()).code).toBe(0);
      const { code, stderr } = await withKey();
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('no entry signed with that key says that retention did it'),
      ]);
    });
  });
});
