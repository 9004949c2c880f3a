import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { executorStore, ownFolder } from '#settings';
import { LabModule } from './lab.module.js';

/** The practice module as a process of its own. */
export const labProcess: ProcessPlan = {
  name: 'lab',
  port: 7074,
  duties: { executor: true, governance: false },
  needsOthers: true,
  parts: labParts,
};

/** The parts of a process that serves module `lab`. */
export function labParts({ clock, observer, settings }: ProcessContext): ProcessParts {
  if (executorStore(settings.store) !== 'sqlite') {
    const message =
      'lab is for one machine: its effects are in a file there. Run every copy on this machine ' +
      'with this data folder';
    observer.noticed({ level: 'warn', module: 'lab', name: 'one_machine_only', message });
  }
  ownFolder('BACKSTEP_DATA', settings.data);
  return { modules: [LabModule.register({ clock, dataFolder: settings.data })] };
}
