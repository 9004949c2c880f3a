import { Gauge, type Registry } from 'prom-client';
import { FileArchive } from '#archive';
import { Retention, TaskRemoval } from '#engine';
import { type ProcessContext, VERSION } from '#process';
import { OPERATION, OUTPUT, PROGRESS, recordsOf, type TaskArchive } from '#ports';

/** The parts of a process that its retention is made of. */
type Context = Pick<
  ProcessContext,
  'clock' | 'entropy' | 'finals' | 'metrics' | 'observer' | 'records' | 'settings' | 'store'
>;

/** Removes final tasks, and archives them first if an archive is set. */
export function makeRemoval(
  context: Pick<Context, 'clock' | 'entropy' | 'finals' | 'records' | 'settings'>,
): TaskRemoval {
  const { finals, records } = context;
  const said = [recordsOf(records, OUTPUT), recordsOf(records, PROGRESS)];
  return new TaskRemoval({ finals, said, archive: archiveOf(context) });
}

/** The retention that removes old final tasks, with its metrics; null: they are kept for ever. */
export function makeRetention(
  context: Pick<Context, 'clock' | 'metrics' | 'observer' | 'records' | 'settings' | 'store'>,
  removal: TaskRemoval,
): Retention | null {
  const { clock, metrics, observer, records, settings, store } = context;
  const { retention: keptMs } = settings;
  if (keptMs === null) return null;
  const operations = recordsOf(records, OPERATION);
  const retention = new Retention({ store, removal, operations, clock, observer, keptMs });
  addMetrics(metrics.registry, retention);
  return retention;
}

function archiveOf({
  clock,
  entropy,
  settings,
}: Pick<Context, 'clock' | 'entropy' | 'settings'>): TaskArchive | null {
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
