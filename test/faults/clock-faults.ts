import type { AppProcess } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import type { FakeClocks } from './fake-clocks.js';
import { type Hold, keepBroken } from './hold.js';

const HOUR_S = 3_600;
const APART_S = 5;

/** The clock of a process is an hour ahead, or behind, and is corrected again. */
export function clockJumps(process: AppProcess, clocks: FakeClocks, hold: Hold): readonly Blow[] {
  return [HOUR_S, -HOUR_S].map((seconds) => ({
    name: `${process.name}: clock ${seconds < 0 ? 'back' : 'forward'} by an hour`,
    strike: async () => {
      clocks.set(process.name, seconds);
      await keepBroken(hold);
      clocks.set(process.name, 0);
    },
  }));
}

/** Every clock is some seconds off, each in its own way, for a while. */
export function clocksApart(
  processes: readonly AppProcess[],
  clocks: FakeClocks,
  hold: Hold,
): Blow {
  const strike = async (): Promise<void> => {
    processes.forEach(({ name }, index) => clocks.set(name, index % 2 === 0 ? APART_S : -APART_S));
    await keepBroken(hold);
    for (const { name } of processes) clocks.set(name, 0);
  };
  return { name: `clocks ${APART_S} s ahead and behind`, strike };
}
