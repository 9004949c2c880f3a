/**
 * The thread that watches the one that evaluates, which may be stuck in a loop or in one call of
 * the engine: when an answer has used up its time, the process ends itself. It needs nobody for
 * that, so that it also ends where the process that asked has died.
 */
import { workerData } from 'node:worker_threads';
import { OVERRUN_SIGNAL, OWN_TIME_MS } from './protocol.js';

const LOOK_MS = 10;

/** The number of the answer under way; 0: none. */
const underWay = workerData as Int32Array;

for (;;) {
  const number = Atomics.load(underWay, 0);
  if (number === 0) Atomics.wait(underWay, 0, 0);
  else if (isTooLong(number)) process.kill(process.pid, OVERRUN_SIGNAL);
}

/** Whether it lasts, and has had the processor, for its time: a busy machine is not its fault. */
function isTooLong(number: number): boolean {
  const before = process.cpuUsage();
  for (let lookedMs = 0; ; lookedMs += LOOK_MS) {
    const { system, user } = process.cpuUsage(before);
    if (lookedMs >= OWN_TIME_MS && (system + user) / 1_000 >= OWN_TIME_MS) return true;
    if (Atomics.wait(underWay, 0, number, LOOK_MS) !== 'timed-out') return false;
  }
}
