import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { AuditHeads, AuditRetention, type HeadShelf, type SignedHead, signedHeadIn } from '#access';
import { Loop } from '#engine';
import type { Clock, Observer } from '#ports';
import { type Companion, type ProcessContext, readPrivateFile, valueGauge } from '#process';
import { SettingsError } from '#settings';

/** How often the end of the log is signed at most, in milliseconds. */
const HEAD_INTERVAL_MS = 60_000;

/** From one round that removed all it could to the next one of the same pass, in milliseconds. */
const REST_MS = 500;

/** Longest pause between two passes of retention, in milliseconds. */
const PASS_PAUSE_MAX_MS = 3_600_000;

/** The parts of a process that the rounds are made of. */
type Context = Pick<
  ProcessContext,
  'audit' | 'clock' | 'logger' | 'metrics' | 'observer' | 'settings' | 'trail'
>;

/** Heads of the audit log, if anybody signs them, and the loops that work on the log. */
interface AuditRounds {
  readonly heads: AuditHeads | null;
  readonly loops: readonly Companion[];
}

/** The members of retention that its metrics are made of. */
type Counted = Pick<AuditRetention, 'oldestAt' | 'removed' | 'roundEndedAt'>;

/** The work on the audit log by the clock. Throws a `SettingsError` for an unfit key. */
export function auditRounds(context: Context): AuditRounds {
  const { auditKeyFile, auditRetention } = context.settings;
  const key = auditKeyFile === null ? null : readAuditKey(auditKeyFile);
  const heads = key === null ? null : headsOf(context, key);
  const loops = [
    ...(heads === null ? [] : [headLoop(context, heads)]),
    ...(auditRetention === null
      ? []
      : [retentionLoop(context, { heads, key, keptMs: auditRetention })]),
  ];
  return { heads, loops };
}

function headsOf(context: Context, key: KeyObject): AuditHeads {
  const { audit: log, clock, logger, observer, settings } = context;
  // A line of its own, so that whatever ships the log takes the head off this machine. Whatever is
  // logged besides: a head that stays here can be cut off with what it vouches for.
  const always = logger.child({}, { level: 'info' });
  const keep = (head: SignedHead): void =>
    always.info({ event: 'audit_head', ...head }, `entry ${head.seq} is the end of the audit log`);
  const shelf = headFileOf(settings.auditKeyFile ?? '', observer);
  return new AuditHeads({ log, key, clock, observer, keep, shelf });
}

function headLoop({ clock, observer }: Context, heads: AuditHeads): Loop {
  const tick = (): Promise<void> => heads.tick();
  return new Loop({ name: 'audit_head', intervalMs: HEAD_INTERVAL_MS, tick }, clock, observer);
}

interface RetentionOptions {
  readonly heads: AuditHeads | null;
  readonly key: KeyObject | null;
  readonly keptMs: number;
}

function retentionLoop(
  { audit: log, clock, metrics, observer, trail }: Context,
  { heads, key, keptMs }: RetentionOptions,
): Loop {
  const expectHeads = async (): Promise<void> => heads?.expectSound();
  const parts = { log, trail, key, expectHeads, clock, observer, keptMs };
  const retention = new AuditRetention(parts);
  addAuditMetrics(metrics.registry, retention, clock);
  const passPauseMs = Math.max(REST_MS, Math.min(keptMs / 20, PASS_PAUSE_MAX_MS));
  let pauseMs = passPauseMs;
  const work = {
    name: 'audit_retention',
    get intervalMs() {
      return pauseMs;
    },
    tick: async () => {
      pauseMs = (await retention.tick()) ? REST_MS : passPauseMs;
    },
  };
  return new Loop(work, clock, observer);
}

/**
 * The Ed25519 private key in a PEM file. Throws a `SettingsError` where there is none, and where
 * others than this process may read or write it: whoever has it can sign a log of their own.
 */
export function readAuditKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readPrivateFile(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`${file} holds a key of ${key.asymmetricKeyType}, and not of Ed25519`);
  } catch (error) {
    throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${(error as Error).message}`]);
  }
}

/**
 * A file beside the key of the audit log, with the head that a gateway signed last: so a gateway
 * notices what was done to the log while it did not run. Where the file cannot be written, that is
 * noticed once, and a stop of the gateway forgets its head.
 */
function headFileOf(keyFile: string, observer: Pick<Observer, 'noticed'>): HeadShelf {
  const name = `${keyFile}.head`;
  let isTold = false;
  return {
    name,
    load: () => readHeadFile(name),
    save: (head) => {
      try {
        replaceWith(name, `${JSON.stringify(head)}\n`);
      } catch (error) {
        if (isTold) return;
        isTold = true;
        const message = `the last head of the audit log cannot be kept in ${name}`;
        observer.noticed({ level: 'warn', name: 'audit_head_not_kept', message, error });
      }
    },
  };
}

/** Throws a `SettingsError` where the file has something else. */
function readHeadFile(file: string): SignedHead | null {
  try {
    const head = signedHeadIn(readFileSync(file, 'utf8'));
    if (head !== null) return head;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${(error as Error).message}`]);
  }
  throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${file} beside it has no head of the log`]);
}

/** Readers see the old content or the new one. Gateways of one key may share the file. */
function replaceWith(file: string, content: string): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, content, { mode: 0o600 });
  renameSync(part, file);
}

/**
 * Metrics of the retention of the audit log. The age of the oldest entry is left out until a round
 * has found it. The time of the last round is 0 until one has gone well: so an alert on it also
 * tells of a log whose retention never did anything.
 */
function addAuditMetrics(registry: Registry, retention: Counted, clock: Pick<Clock, 'now'>): void {
  const age = (): number | null => {
    const { oldestAt } = retention;
    return oldestAt === null ? null : Math.max(0, clock.now() - oldestAt) / 1_000;
  };
  const add = (name: string, help: string, read: () => number | null): void =>
    registry.registerMetric(valueGauge({ name: `backstep_audit_retention_${name}`, help }, read));
  add(
    'removed_entries',
    'Entries that retention of this process has removed from the audit log since it started',
    () => retention.removed,
  );
  add(
    'last_round_timestamp_seconds',
    'When the last round of it ended that went well, in seconds since 1970; 0: none has',
    () => (retention.roundEndedAt ?? 0) / 1_000,
  );
  add('oldest_entry_age_seconds', 'Age of the oldest entry that its last round left', age);
}
