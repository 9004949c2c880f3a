import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
/** Longer than any install; a lock this old is a leftover whose process id was given out again. */
const LEFTOVER_MS = 15 * 60_000;

/**
 * Runs `work` while no other process on this machine runs under the same lock file.
 *
 * @template T
 * @param {string} lock The file that is the lock, in a folder that is there.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(lock, work) {
  while (!(await take(lock))) await delay(POLL_MS);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock) {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (await isLeftover(lock)) await rm(lock, { force: true });
  return false;
}

async function isLeftover(lock) {
  try {
    const { mtimeMs } = await stat(lock);
    if (Date.now() - mtimeMs > LEFTOVER_MS) return true;
    const owner = await readFile(lock, 'utf8');
    return owner !== '' && !isAlive(Number(owner));
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
