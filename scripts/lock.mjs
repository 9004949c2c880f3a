import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
/** Longer than any install; a lock this old is a leftover whose process id was given out again. */
const LEFTOVER_MS = 15 * 60_000;

/**
 * Runs `work` while no other process on this machine runs under the same lock directory.
 *
 * @template T
 * @param {string} lock The directory that is the lock.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(lock, work) {
  await mkdir(path.dirname(lock), { recursive: true });
  while (!(await take(lock))) {
    if (await isLeftover(lock)) await discard(lock);
    else await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** A directory moves into place with its owner in it, so there is no lock without an owner. */
async function take(lock) {
  const mine = await mkdtemp(`${lock}-`);
  await writeFile(path.join(mine, 'pid'), String(process.pid));
  try {
    await rename(mine, lock);
    return true;
  } catch {
    await rm(mine, { recursive: true, force: true });
    return false;
  }
}

async function isLeftover(lock) {
  try {
    const pid = Number(await readFile(path.join(lock, 'pid'), 'utf8'));
    const { mtimeMs } = await stat(lock);
    return !isAlive(pid) || Date.now() - mtimeMs > LEFTOVER_MS;
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

/** Moved away before it is deleted: of several who try, one succeeds. */
async function discard(lock) {
  const away = `${lock}-${process.pid}-left`;
  await rename(lock, away).then(
    () => rm(away, { recursive: true, force: true }),
    () => undefined,
  );
}
