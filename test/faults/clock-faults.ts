import type { AppProcess } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import type { FakeClocks } from './fake-clocks.js';
import { type Hold, keepBroken } from './hold.js';
import { replaced } from './process-faults.js';

/** How wrong a clock is set, in seconds. */
export const WRONG_BY_S = 3_600;

/** The clock of a process is an hour ahead, or behind, and is corrected again. */
export function clockJumps(process: AppProcess, clocks: FakeClocks, hold: Hold): readonly Blow[] {
  return [WRONG_BY_S, -WRONG_BY_S].map((seconds) => ({
    name: `${process.name}: clock ${seconds < 0 ? 'back' : 'forward'} by an hour`,
    strike: async () => {
      clocks.set(process.name, seconds);
      await keepBroken(hold);
      clocks.set(process.name, 0);
    },
  }));
}

/** A process is replaced on a machine whose clock is an hour behind, which a person notices. */
export function startedWrong(process: AppProcess, clocks: FakeClocks, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    clocks.set(process.name, -WRONG_BY_S);
    await replaced(process).strike();
    await keepBroken(hold);
    clocks.set(process.name, 0);
  };
  return { name: `${process.name}: started with a clock an hour behind`, strike };
}

/** Every clock is an hour off, half of them ahead and half behind, for a while. */
export function clocksApart(
  processes: readonly AppProcess[],
  clocks: FakeClocks,
  hold: Hold,
): Blow {
  const strike = async (): Promise<void> => {
    processes.forEach(({ name }, index) =>
      clocks.set(name, index % 2 === 0 ? WRONG_BY_S : -WRONG_BY_S),
    );
    await keepBroken(hold);
    for (const { name } of processes) clocks.set(name, 0);
  };
  return { name: 'clocks an hour ahead and behind', strike };
}
