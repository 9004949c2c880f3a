import path from 'node:path';
import { type AppProcess, planStandalone, type WrittenSettings } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { clockJumps } from './clock-faults.js';
import { fullDisk, noRoom, noSync } from './disk-faults.js';
import { FakeClocks } from './fake-clocks.js';
import type { Hold } from './hold.js';
import { frozen, killed, replaced } from './process-faults.js';
import { SmallDisk } from './small-disk.js';

/** A standalone process in which everything can be broken. */
export interface StandaloneTarget {
  readonly process: AppProcess;
  readonly clocks: FakeClocks;
  /** Where its store is, if a disk of its own could be mounted. */
  readonly disk: SmallDisk | undefined;
  /** Where the instance directories are. */
  readonly data: string;
  stop(): Promise<void>;
}

/** Options of such a process. */
export interface StandaloneOptions {
  readonly folder: string;
  readonly settings: WrittenSettings;
}

/** Starts a process with a clock of its own, its store on a disk of its own. */
export async function startStandalone(options: StandaloneOptions): Promise<StandaloneTarget> {
  const { folder, settings } = options;
  const clocks = new FakeClocks(path.join(folder, 'clocks'));
  const place = path.join(folder, 'disk');
  const disk = await SmallDisk.mount(place);
  const data = path.join(folder, 'data');
  const process = await planStandalone({
    folder,
    environment: clocks.environmentOf('standalone'),
    settings: { ...settings, store: `sqlite:${path.join(place, 'backstep.db')}`, data },
  });
  const stop = async (): Promise<void> => {
    await process.kill();
    await disk?.unmount();
  };
  try {
    await process.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { process, clocks, disk, data, stop };
}

/** Makes its store refuse every write for a while, in a process that lives. */
export function storeWithoutRoom({ disk, process }: StandaloneTarget, hold: Hold): readonly Blow[] {
  const full = disk === undefined ? [] : [fullDisk(process, disk, hold)];
  return [...full, noRoom(process, hold)];
}

/** Every blow to the disk of the store. */
export function blowsToDisk(target: StandaloneTarget, hold: Hold): readonly Blow[] {
  return [...storeWithoutRoom(target, hold), noSync(target.process, hold)];
}

/** Every blow there is for such a process. */
export function standaloneBlows(target: StandaloneTarget, hold: Hold): readonly Blow[] {
  const { clocks, process } = target;
  return [
    ...blowsToDisk(target, hold),
    ...clockJumps(process, clocks, hold),
    killed(process),
    frozen(process, hold),
    replaced(process),
  ];
}
