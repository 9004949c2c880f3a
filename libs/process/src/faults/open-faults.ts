import { type DynamicModule, Module } from '@nestjs/common';
import { FAULT, recordsOf } from '#ports';
import type { ProcessContext } from '../process-context.js';
import { FaultSwitches } from './fault-switches.js';
import { FAULT_FLOWS, FAULT_SWITCHES, FaultsController } from './faults.controller.js';
import { KnownFaults, MemoryFaults } from './known-faults.js';
import { loseAttempt } from './lose-attempt.js';

@Module({})
class FaultsModule {}

/** The duties of a process that switches have to do with. */
interface FaultDuties {
  /** Whether it runs commands. */
  readonly executor: boolean;
  /** Whether people ask it. */
  readonly governance: boolean;
}

/**
 * Has the commands of this process go wrong by switches, and gives the gateway their routes. The
 * switches are kept in the store where processes share one, so that those that are set at the
 * gateway strike in every executor.
 */
export function openFaults(context: ProcessContext, duties: FaultDuties): readonly DynamicModule[] {
  const { clock, exclusive, executors, flowStore, records, settings } = context;
  const isAlone = settings.transport.kind === 'memory';
  if (exclusive && !isAlone) return [];
  const store = exclusive ? new MemoryFaults() : new KnownFaults(recordsOf(records, FAULT), clock);
  const switches = new FaultSwitches({
    clock,
    store,
    loseAttempt: (lost) => loseAttempt(context, lost),
  });
  if (duties.executor) executors.useFaults((attempt) => switches.faultFor(attempt));
  if (!duties.governance) return [];
  const providers = [
    { provide: FAULT_SWITCHES, useValue: switches },
    { provide: FAULT_FLOWS, useValue: flowStore },
  ];
  return [{ module: FaultsModule, controllers: [FaultsController], providers }];
}
