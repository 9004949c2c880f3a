import { Gauge } from 'prom-client';
import { MarkSweep } from '#engine';
import type { ProcessContext } from './process-context.js';

/** The parts of a process that its sweep of marks is made of. */
type Context = Pick<ProcessContext, 'clock' | 'executors' | 'finals' | 'observer' | 'settings'> & {
  readonly metrics: Pick<ProcessContext['metrics'], 'registry'>;
};

/**
 * The sweep that has this process's barriers forget marks of removed tasks, with its metric; null:
 * tasks are kept for ever, or no executor says where it keeps marks. Called once the executors are
 * connected.
 */
export function makeMarkSweep(context: Context): MarkSweep | null {
  const { clock, executors, finals, metrics, observer, settings } = context;
  const { retention: keptMs } = settings;
  if (keptMs === null || !executors.keepsMarks) return null;
  const marks = () => executors.marks();
  const sweep = new MarkSweep({ clock, finals, keptMs, marks, observer });
  metrics.registry.registerMetric(
    new Gauge({
      name: 'backstep_forgotten_marks',
      help: 'Marks of removed tasks that barriers of this process have forgotten since it started',
      registers: [],
      collect() {
        this.set(sweep.forgotten);
      },
    }),
  );
  return sweep;
}
