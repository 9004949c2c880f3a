import { readdir, readFile } from 'node:fs/promises';

/** How Linux writes that a thread was stopped by a signal. */
const STOPPED = 'T';

/**
 * Fails while a thread of a process still runs that was told to stop: a signal is on its way for as
 * long as the machine is busy. Where there is no /proc, nobody can tell, and it succeeds.
 */
export async function standsStill(pid: number): Promise<void> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder).catch((): string[] => []);
  for (const thread of threads) {
    const stat = await readFile(`${folder}/${thread}/stat`, 'utf8').catch(() => null);
    // The name before it may have any character in it.
    const state = stat?.[stat.lastIndexOf(')') + 2] ?? STOPPED;
    if (state !== STOPPED) throw new Error(`thread ${thread} is in state ${state}`);
  }
}
