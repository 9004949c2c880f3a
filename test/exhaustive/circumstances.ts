import { noFaults, type ProcessPlan, type Scenario } from '../simulation/scenario.js';
import type { Case } from './cases.js';
import type { SteadyChance } from './steady-chance.js';

export const LEASE_MS = 5_000;

/** How long a process stands still that does, in milliseconds: more than two leases. */
export const FREEZE_MS = 12_000;

const plan = (name: string, modules: readonly string[]): ProcessPlan => ({
  name,
  modules,
  gateway: modules.length === 0,
  recovery: false,
});

/** One gateway and two executors, which share some modules. */
const PROCESSES: readonly ProcessPlan[] = [
  plan('gateway', []),
  plan('executor-1', ['a', 'c', 'monitor']),
  plan('executor-2', ['a', 'b', 'monitor']),
];

/** The same circumstances for every run; some tasks have steps of all kinds, or locks. */
export function circumstances(
  random: SteadyChance,
  { definition, isProgram }: Pick<Case, 'definition' | 'isProgram'>,
): Scenario {
  return {
    seed: 0,
    random,
    groups: null,
    expiries: null,
    headStarts: null,
    programs: isProgram ? random : null,
    kinds: null,
    hasWorkers: false,
    limits: [],
    wide: null,
    made: null,
    lists: null,
    locks: definition.locks === undefined ? null : random,
    failures: null,
    hasSecret: false,
    runs: null,
    faults: noFaults(),
    processes: PROCESSES,
    isStandalone: false,
    tasks: 1,
    concurrency: 2,
    leaseMs: LEASE_MS,
    governanceIntervalMs: 2_000,
    drainMs: 3_000,
    troubleMs: 0,
    timing: {
      redispatchAfterMs: 1_000,
      redispatchMaxMs: 20_000,
      alertRepeatMs: 30_000,
      // So late that it mends nothing that sessions should.
      overdueAfterMs: 60_000,
    },
  };
}
