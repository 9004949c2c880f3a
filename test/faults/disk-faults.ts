import { Api } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import type { AppProcess } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { FailingCalls, type FailingPlan, NO_ROOM, NO_SYNC } from './failing-calls.js';
import { type Hold, keepBroken } from './hold.js';
import type { SmallDisk } from './small-disk.js';

const NOTICED_MS = 60_000;

/** The disk of a store is full for a while. Has to be noticed, and be over when there is room. */
export function fullDisk(process: AppProcess, disk: SmallDisk, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    await disk.fill();
    try {
      await untilRefused(process);
      await keepBroken(hold);
    } finally {
      await disk.free();
    }
    await process.untilReady();
  };
  return { name: `${process.name}: full disk`, strike };
}

/** The same as the system tells it, for machines on which nothing may be mounted. */
export function noRoom(process: AppProcess, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    await whileFailing(process, NO_ROOM, hold);
    await process.untilReady();
  };
  return { name: `${process.name}: no room on the device`, strike };
}

/** Syncs fail. Then nobody knows what the disk holds: only a new start may go on. */
export function noSync(process: AppProcess, hold: Hold): Blow {
  const strike = async (): Promise<void> => {
    await whileFailing(process, NO_SYNC, hold);
    await untilRefused(process);
    await process.restart();
  };
  return { name: `${process.name}: failing syncs, and a new start`, strike };
}

async function whileFailing(process: AppProcess, plan: FailingPlan, hold: Hold): Promise<void> {
  const failing = await FailingCalls.of(process, plan);
  try {
    await untilRefused(process);
    await keepBroken(hold);
  } finally {
    await failing.release();
  }
}

/** Until it says that it is not ready because of its store. */
async function untilRefused({ name, url }: AppProcess): Promise<void> {
  const api = new Api(url);
  const probe = async (): Promise<void> => {
    const ready = await api.ask<{ checks: { name: string; ready: boolean }[] }>({
      path: '/readyz',
    });
    const store = ready.body.checks.find((check) => check.name === 'store');
    if (ready.status !== 503 || store?.ready !== false) throw new Error('it says it is ready');
  };
  const what = `${name} does not say that it cannot store anything`;
  await waitUntil(probe, { what, deadlineMs: NOTICED_MS });
}
