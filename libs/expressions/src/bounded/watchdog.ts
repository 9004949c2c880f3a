/**
 * The thread that watches the one that works, which may be stuck in a loop or in one call of the
 * engine: when a piece of work has used up its time, the process ends itself. It needs nobody for
 * that, so that it also ends where the process that asked has died.
 */
import { workerData } from 'node:worker_threads';
import { isOverrun, OVERRUN_SIGNAL, processorMs, type WatchdogData } from './own-time.js';

const LOOK_MS = 10;

const { ownTimeMs, underWay } = workerData as WatchdogData;

for (;;) {
  const number = Atomics.load(underWay, 0);
  if (number === 0) Atomics.wait(underWay, 0, 0);
  else if (lastsTooLong(number)) process.kill(process.pid, OVERRUN_SIGNAL);
}

/** Whether a piece of work uses up its time; false once it has ended. */
function lastsTooLong(number: number): boolean {
  // Most end before the first look, and cost none.
  if (!goesOn(number)) return false;
  const before = processorMs();
  for (let wallMs = LOOK_MS; ; wallMs += LOOK_MS) {
    if (isOverrun({ wallMs, processorMs: processorMs() - before }, ownTimeMs)) return true;
    if (!goesOn(number)) return false;
  }
}

function goesOn(number: number): boolean {
  return Atomics.wait(underWay, 0, number, LOOK_MS) === 'timed-out';
}
