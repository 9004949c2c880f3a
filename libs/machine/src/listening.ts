import { once } from 'node:events';
import { chmod, link, lstat, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';

/** An address on which something could listen. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** How many ports are looked at. */
const PORTS_MAX = 50;

/** For its own user alone. */
const SOCKET_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** A socket cannot be put where it is wanted; the message is a sentence for people. */
class SocketRefused extends Error {
  override readonly name = 'SocketRefused';
}

/** A socket that this process listens on. */
export interface SocketFile {
  /** Takes it away, if it is still the one of this process. */
  remove(): Promise<void>;
}

/**
 * Throws a `SocketRefused` where nobody could listen at a path: a process does, or what is there is
 * no socket.
 */
export async function expectSocketPlace(place: string): Promise<void> {
  const found = await lstat(place).catch(nullWhereMissing);
  if (found === null) return;
  if (!found.isSocket()) throw new SocketRefused(`${place} is there, and is no socket. ${ADVICE}`);
  if (!(await isDead(place))) throw inUse(place);
}

/**
 * Has a server listen at a path, for this user alone. The socket is made in a folder that nobody
 * else gets into, and is put in its place with its mode. One that a dead process has left goes; one
 * of a living process stays, also where both start at once. Throws `SocketRefused`.
 */
export async function listenOnSocket(
  place: string,
  listen: (file: string) => Promise<unknown>,
): Promise<SocketFile> {
  await mkdir(path.dirname(place), { recursive: true, mode: FOLDER_MODE });
  const folder = await mkdtemp(path.join(path.dirname(place), '.bs-'));
  const made = path.join(folder, 's');
  try {
    await listen(made);
    await chmod(made, SOCKET_MODE);
    const { dev, ino } = await lstat(made);
    await putInPlace(made, place);
    return { remove: () => removeOwn(place, { dev, ino }) };
  } finally {
    await rm(made, { force: true });
    await rmdir(folder);
  }
}

const ADVICE = 'Set BACKSTEP_HTTP to another path.';

function inUse(place: string): SocketRefused {
  return new SocketRefused(
    `${place} is in use. Stop what listens there, or set BACKSTEP_HTTP to another path.`,
  );
}

/** A link, unlike a rename, takes nobody's place. */
async function putInPlace(made: string, place: string): Promise<void> {
  if (await isLinked(made, place)) return;
  await expectSocketPlace(place);
  const lock = `${place}.lock`;
  await takeLock(made, { lock, place });
  try {
    // Only who has the lock takes one away, so this one stays as it is found.
    await expectSocketPlace(place);
    await rm(place, { force: true });
    if (!(await isLinked(made, place))) throw inUse(place);
  } finally {
    await rm(lock, { force: true });
  }
}

/** The lock is the socket itself by another name: so it shows by itself whether its owner lives. */
async function takeLock(
  made: string,
  { lock, place }: { readonly lock: string; readonly place: string },
): Promise<void> {
  if (await isLinked(made, lock)) return;
  if (!(await isDead(lock))) throw inUse(place);
  await rm(lock, { force: true });
  if (!(await isLinked(made, lock))) throw inUse(place);
}

async function isLinked(made: string, place: string): Promise<boolean> {
  try {
    await link(made, place);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Whether nobody listens any more. A process that may not connect does not know. */
async function isDead(file: string): Promise<boolean> {
  const socket = connect(file);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return ['ECONNREFUSED', 'ENOENT'].includes(codeOf(error));
  } finally {
    socket.destroy();
  }
}

async function removeOwn(
  place: string,
  { dev, ino }: { readonly dev: number; readonly ino: number },
): Promise<void> {
  const found = await lstat(place).catch(nullWhereMissing);
  if (found !== null && found.ino === ino && found.dev === dev) await rm(place, { force: true });
}

function nullWhereMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | null)?.code ?? '';
}

/** Whether nothing listens at an address; also where this machine does not have it. */
export async function isFree(place: Place): Promise<boolean> {
  return (await obstacleAt(place)) !== 'EADDRINUSE';
}

/** The port itself if it is free, else the next one that is; null: there is none near it. */
export async function nextFreePort({ host, port: first }: Place): Promise<number | null> {
  for (let port = first; port < first + PORTS_MAX; port += 1) {
    if (await isFree({ host, port })) return port;
  }
  return null;
}

/** The code of the error that listening there fails with; undefined: it does not. */
async function obstacleAt({ host, port }: Place): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    server.close();
  }
}
