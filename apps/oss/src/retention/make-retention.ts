import { Gauge, type Registry } from 'prom-client';
import { FileArchive } from '#archive';
import { Retention } from '#engine';
import { type ProcessContext, VERSION } from '#process';
import { OPERATION, OUTPUT, PROGRESS, recordsOf, type TaskArchive } from '#ports';

/** The parts of a process that its retention is made of. */
type Context = Pick<
  ProcessContext,
  'clock' | 'entropy' | 'finals' | 'metrics' | 'observer' | 'records' | 'settings' | 'store'
>;

/** The retention that removes old final tasks, with its metrics; null: they are kept for ever. */
export function makeRetention(context: Context): Retention | null {
  const { clock, finals, metrics, observer, records, settings, store } = context;
  const { retention: keptMs } = settings;
  if (keptMs === null) return null;
  const archive = archiveOf(context);
  const operations = recordsOf(records, OPERATION);
  const said = [recordsOf(records, OUTPUT), recordsOf(records, PROGRESS)];
  const stored = { store, finals, operations, said };
  const retention = new Retention({ ...stored, clock, observer, archive, keptMs });
  addMetrics(metrics.registry, retention);
  return retention;
}

function archiveOf({ clock, entropy, settings }: Context): TaskArchive | null {
  const { archive: folder } = settings;
  if (folder === null) return null;
  const newName = (): string => entropy.newId();
  return new FileArchive({ folder, clock, newName, writtenBy: VERSION });
}

function addMetrics(registry: Registry, retention: Retention): void {
  registry.registerMetric(
    new Gauge({
      name: 'backstep_retention_removed_tasks',
      help: 'Final tasks that retention of this process has removed since it started',
      registers: [],
      collect() {
        this.set(retention.removed);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'backstep_retention_last_round_timestamp_seconds',
      help: 'When the last round of retention ended that went well, in seconds since 1970; 0: none has',
      registers: [],
      collect() {
        this.set((retention.roundEndedAt ?? 0) / 1_000);
      },
    }),
  );
}
