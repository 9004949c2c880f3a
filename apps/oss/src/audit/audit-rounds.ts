import type { KeyObject } from 'node:crypto';
import { AuditHeads, AuditRetention, type SignedHead } from '#access';
import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#process';
import { readAuditKey } from './audit-key.js';
import { addAuditMetrics } from './audit-metrics.js';
import { headFileOf } from './head-file.js';

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
  return { heads, loops: loops.map(companionOf) };
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

function companionOf(loop: Loop): Companion {
  return { start: async () => loop.start(), stop: () => loop.stop() };
}
