import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { executorStore, ownFolder } from '#settings';
import { MonitorModule } from './monitor.module.js';

/** The executor of module `monitor` as a process of its own. */
export const monitorProcess: ProcessPlan = {
  name: 'monitor',
  port: 7073,
  duties: { executor: true, governance: false },
  needsOthers: true,
  parts: monitorParts,
};

/** The parts of a process that serves module `monitor`. */
export function monitorParts({ clock, observer, settings }: ProcessContext): ProcessParts {
  const { alertSecret: secret, alertWebhook: url, data: dataFolder, publicUrl } = settings;
  const { monitorRetention: eventsKeptMs } = settings;
  const webhook = url === null ? undefined : { url, secret: secret ?? undefined };
  const store = executorStore(settings.store);
  ownFolder('BACKSTEP_DATA', dataFolder);
  const options = { clock, dataFolder, eventsKeptMs, observer, publicUrl, store, webhook };
  return { modules: [MonitorModule.register(options)] };
}
