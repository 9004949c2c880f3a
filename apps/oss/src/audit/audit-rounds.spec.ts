import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditTrail } from '#access';
import { createLogger, PrometheusObserver } from '#platform';
import type { LogLevel, Settings } from '#settings';
import { ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { auditRounds, readAuditKey } from './audit-rounds.js';

const DAY_MS = 86_400_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-rounds-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function keyFile(): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const file = path.join(folder, 'audit.key');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(file, pem, { mode: 0o600 });
  return file;
}

function parts(level: LogLevel, wanted: Partial<Settings>) {
  const lines: string[] = [];
  const { audit } = new MemoryStore();
  const observer = new RecordingObserver();
  const clock = new ManualClock();
  const trail = new AuditTrail({ log: audit, observer });
  const logger = createLogger({ level, stream: { write: (line) => lines.push(line) } });
  const metrics = new PrometheusObserver();
  const settings = { auditKeyFile: null, auditRetention: null, ...wanted } as Settings;
  const write = (at: number): Promise<boolean> => {
    const what = { operation: 'POST /v1/keys', target: '/v1/keys', status: 201, reason: null };
    return trail.add({ at, actor: 'root', keyId: null, requestId: 'r', ...what });
  };
  return { audit, clock, lines, logger, metrics, observer, settings, trail, write };
}

describe('the work on the audit log', () => {
  it.each(['debug', 'warn', 'error', 'silent'] as const)(
    'sends the head out where %s is logged',
    async (level) => {
      const context = parts(level, { auditKeyFile: await keyFile() });
      await context.write(context.clock.now());
      await auditRounds(context).heads?.tick();
      expect(context.lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ level: 'info', event: 'audit_head', seq: 1 }),
      ]);
    },
  );

  it('goes on from the head that the gateway before it had signed', async () => {
    const auditKeyFile = await keyFile();
    const context = parts('info', { auditKeyFile });
    await context.write(context.clock.now());
    await auditRounds(context).heads?.tick();
    const kept = await readFile(`${auditKeyFile}.head`, 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ seq: 1, signature: expect.any(String) });
    // Another log is in the place of the first one.
    const other = parts('info', { auditKeyFile });
    await other.write(other.clock.now() - 1);
    await auditRounds(other).heads?.tick();
    expect(other.observer.notices.map(({ name }) => name)).toEqual(['audit_cut']);
    expect(await readFile(`${auditKeyFile}.head`, 'utf8')).toBe(kept);
  });

  it('does not start with something else in the place of that head', async () => {
    const auditKeyFile = await keyFile();
    await writeFile(`${auditKeyFile}.head`, '{}\n');
    expect(() => auditRounds(parts('info', { auditKeyFile }))).toThrow(/audit\.key\.head/);
  });

  it('says once that the head cannot be kept', async () => {
    const auditKeyFile = await keyFile();
    const context = parts('info', { auditKeyFile });
    const { heads } = auditRounds(context);
    await rm(folder, { recursive: true });
    for (const _ of [1, 2]) {
      await context.write(context.clock.now());
      await heads?.tick();
    }
    expect(context.observer.notices.map(({ name }) => name)).toEqual(['audit_head_not_kept']);
    expect(context.lines).toHaveLength(2);
  });

  it('is counted where old entries are removed', async () => {
    const context = parts('info', { auditRetention: DAY_MS });
    const { clock, metrics, write } = context;
    for (const age of [3 * DAY_MS, 2 * DAY_MS, DAY_MS / 2]) await write(clock.now() - age);
    const { loops } = auditRounds(context);
    expect(await valuesIn(metrics)).toEqual({
      removed_entries: 0,
      last_round_timestamp_seconds: 0,
    });
    for (const loop of loops) await loop.start();
    for (const loop of loops) await loop.stop();
    expect(await valuesIn(metrics)).toEqual({
      removed_entries: 2,
      last_round_timestamp_seconds: clock.now() / 1_000,
      oldest_entry_age_seconds: DAY_MS / 2 / 1_000,
    });
    await clock.advance(DAY_MS / 4);
    expect(await valuesIn(metrics)).toMatchObject({
      oldest_entry_age_seconds: (3 * DAY_MS) / 4 / 1_000,
    });
  });

  it('is not counted where entries are kept for ever', async () => {
    const context = parts('info', {});
    auditRounds(context);
    expect(await valuesIn(context.metrics)).toEqual({});
  });
});

async function valuesIn({ registry }: PrometheusObserver): Promise<Record<string, number>> {
  const text = await registry.metrics();
  const found = text.matchAll(/^backstep_audit_retention_(\w+) (\S+)$/gm);
  return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
}

describe('audit key', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-audit-key-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function keyFile(text: string, mode = 0o600): string {
    const file = path.join(folder, 'audit.key');
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  const { privateKey } = generateKeyPairSync('ed25519');

  const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

  describe('the key of the audit log', () => {
    it.each([0o600, 0o400, 0o700])('is taken with mode %o', (mode) => {
      expect(readAuditKey(keyFile(PEM, mode)).equals(privateKey)).toBe(true);
    });

    it.each([0o640, 0o620, 0o604, 0o602])('is refused with mode %o', (mode) => {
      expect(() => readAuditKey(keyFile(PEM, mode))).toThrow(
        /BACKSTEP_AUDIT_KEY_FILE: others may read or write .*audit\.key: chmod go= /,
      );
    });

    it('must be there', () => {
      const missing = path.join(folder, 'none');
      expect(() => readAuditKey(missing)).toThrow(/BACKSTEP_AUDIT_KEY_FILE: ENOENT/);
    });

    it('must be a private key', () => {
      expect(() => readAuditKey(keyFile('hello'))).toThrow(/BACKSTEP_AUDIT_KEY_FILE: /);
    });

    it('must be one of Ed25519', () => {
      const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = other.export({ type: 'pkcs8', format: 'pem' }) as string;
      expect(() => readAuditKey(keyFile(pem))).toThrow(/holds a key of ec, and not of Ed25519/);
    });
  });
});
