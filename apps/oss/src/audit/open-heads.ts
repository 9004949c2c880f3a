import { AuditHeads, type SignedHead } from '#access';
import { Loop } from '#engine';
import type { Companion, ProcessContext } from '#nest';
import { readAuditKey } from './audit-key.js';

/** How often the end of the log is signed at most, in milliseconds. */
const INTERVAL_MS = 60_000;

/** The parts of a process that its heads are made of. */
type Context = Pick<ProcessContext, 'audit' | 'clock' | 'logger' | 'observer' | 'settings'>;

/** Heads of the audit log, and the rounds that log them. */
interface OpenedHeads {
  readonly heads: AuditHeads;
  readonly rounds: Companion;
}

/** Heads as the settings want them; null: nobody signs any. Throws a `SettingsError`. */
export function openHeads(context: Context): OpenedHeads | null {
  const { audit: log, clock, observer, settings } = context;
  if (settings.auditKeyFile === null) return null;
  const key = readAuditKey(settings.auditKeyFile);
  const keep = (head: SignedHead): void => logHead(context, head);
  const heads = new AuditHeads({ log, key, clock, observer, keep });
  const tick = (): Promise<void> => heads.tick();
  const loop = new Loop({ name: 'audit_head', intervalMs: INTERVAL_MS, tick }, clock, observer);
  return { heads, rounds: { start: async () => loop.start(), stop: () => loop.stop() } };
}

/** A line of its own, so that whatever ships the log takes the head off this machine. */
function logHead({ logger }: Pick<Context, 'logger'>, head: SignedHead): void {
  logger.info({ event: 'audit_head', ...head }, `entry ${head.seq} is the end of the audit log`);
}
