import type { AppProcess } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';

/** A process dies without a word and is started again. */
export function killed(process: AppProcess): Blow {
  return { name: `${process.name}: SIGKILL`, strike: () => process.restart() };
}

/** A process stands still in whatever it does, and goes on as if no time had passed. */
export function frozen(process: AppProcess, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    process.pause();
    await keepBroken(hold);
    process.resume();
    await process.untilReady();
  };
  return { name: `${process.name}: SIGSTOP and SIGCONT`, strike };
}

/** A process is replaced as in a rollout: it has to end by itself, and well, within its drain. */
export function replaced(process: AppProcess): Blow {
  const strike = async (): Promise<void> => {
    const exit = await process.terminate();
    if (exit?.code !== 0) throw new Error(`it ended with ${JSON.stringify(exit)}`);
    await process.start();
  };
  return { name: `${process.name}: SIGTERM and a new start`, strike };
}
