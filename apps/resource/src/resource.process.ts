import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { executorStore } from '#settings';
import { ResourceModule } from './resource.module.js';

/** The executor of module `resource` as a process of its own. */
export const resourceProcess: ProcessPlan = {
  name: 'resource',
  port: 7071,
  duties: { executor: true, governance: false },
  needsOthers: true,
  parts: resourceParts,
};

/** The parts of a process that serves module `resource`. */
export function resourceParts({ clock, settings }: ProcessContext): ProcessParts {
  const { data: dataFolder, resourceHosts } = settings;
  const store = executorStore(settings.store);
  const hostsFile = resourceHosts ?? undefined;
  return { modules: [ResourceModule.register({ clock, dataFolder, hostsFile, store })] };
}
