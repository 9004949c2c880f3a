import type { ProcessContext, ProcessParts, ProcessPlan } from '#nest';
import { LabModule } from './lab.module.js';

/** The practice module as a process of its own. */
export const labProcess: ProcessPlan = {
  name: 'lab',
  port: 7074,
  duties: { executor: true, governance: false },
  parts: labParts,
};

/** What a process needs to serve module `lab`. */
export function labParts({ clock, settings }: ProcessContext): ProcessParts {
  return { modules: [LabModule.register({ clock, dataFolder: settings.data })] };
}
