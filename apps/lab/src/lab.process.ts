import type { ProcessContext, ProcessParts, ProcessPlan } from '#nest';
import { FaultSwitches } from './fault-switches.js';
import { type LabFaults, LabModule } from './lab.module.js';
import { loseAttempt } from './lose-attempt.js';

/** The practice module as a process of its own. */
export const labProcess: ProcessPlan = {
  name: 'lab',
  port: 7074,
  duties: { executor: true, governance: false },
  parts: (context) => labParts(context),
};

/** The parts of a process that serves module `lab`; `faults`: its switches, if it has any. */
export function labParts(
  { clock, observer, settings }: ProcessContext,
  faults?: LabFaults,
): ProcessParts {
  if (settings.store.kind === 'mongodb') {
    const message =
      'lab is for one machine: its effects are in a file there. Run every copy on this machine ' +
      'with this data folder';
    observer.noticed({ level: 'warn', module: 'lab', name: 'one_machine_only', message });
  }
  return { modules: [LabModule.register({ clock, dataFolder: settings.data, faults })] };
}

/**
 * Has the commands of this process go wrong by the switches that are returned. For a process that
 * runs all executors itself: nothing here reaches another one.
 */
export function faultSwitches(context: ProcessContext): LabFaults {
  const { clock, executors, flowStore } = context;
  const switches = new FaultSwitches({ clock, loseAttempt: (lost) => loseAttempt(context, lost) });
  executors.useFaults((attempt) => switches.faultFor(attempt));
  return { switches, flows: flowStore };
}
