import { Gauge, type Registry } from 'prom-client';
import type { AuditRetention } from '#access';
import type { Clock } from '#ports';

/** The members of retention that its metrics are made of. */
type Counted = Pick<AuditRetention, 'oldestAt' | 'removed' | 'roundEndedAt'>;

/**
 * Metrics of the retention of the audit log. The age of the oldest entry is left out until a round
 * has found it. The time of the last round is 0 until one has gone well: so an alert on it also
 * tells of a log whose retention never did anything.
 */
export function addAuditMetrics(
  registry: Registry,
  retention: Counted,
  clock: Pick<Clock, 'now'>,
): void {
  const age = (): number | null => {
    const { oldestAt } = retention;
    return oldestAt === null ? null : Math.max(0, clock.now() - oldestAt) / 1_000;
  };
  const gauges = [
    gaugeOf(
      'removed_entries',
      'Entries that retention of this process has removed from the audit log since it started',
      () => retention.removed,
    ),
    gaugeOf(
      'last_round_timestamp_seconds',
      'When the last round of it ended that went well, in seconds since 1970; 0: none has',
      () => (retention.roundEndedAt ?? 0) / 1_000,
    ),
    gaugeOf('oldest_entry_age_seconds', 'Age of the oldest entry that its last round left', age),
  ];
  for (const gauge of gauges) registry.registerMetric(gauge);
}

function gaugeOf(name: string, help: string, read: () => number | null): Gauge {
  return new Gauge({
    name: `backstep_audit_retention_${name}`,
    help,
    registers: [],
    collect() {
      const value = read();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}
