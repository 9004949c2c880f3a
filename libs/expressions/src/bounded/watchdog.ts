/**
 * The thread that watches the one that works, which may be stuck in a loop or in one call of the
 * engine: when a piece of work has used up its time, the process ends itself. It needs nobody for
 * that, so that it also ends where the process that asked has died.
 */
import { workerData } from 'node:worker_threads';
import { isOverrun } from './overrun.js';
import { OVERRUN_SIGNAL, type WatchdogData } from './own-time.js';

const LOOK_MS = 10;

const { ownTimeMs, underWay } = workerData as WatchdogData;

for (;;) {
  const number = Atomics.load(underWay, 0);
  if (number === 0) Atomics.wait(underWay, 0, 0);
  else if (lastsTooLong(number)) process.kill(process.pid, OVERRUN_SIGNAL);
}

/** Whether a piece of work uses up its time; false once it has ended. */
function lastsTooLong(number: number): boolean {
  const before = process.cpuUsage();
  for (let wallMs = 0; ; wallMs += LOOK_MS) {
    const { system, user } = process.cpuUsage(before);
    if (isOverrun({ wallMs, processorMs: (system + user) / 1_000 }, ownTimeMs)) return true;
    if (Atomics.wait(underWay, 0, number, LOOK_MS) !== 'timed-out') return false;
  }
}
