import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Below the range that the kernel takes the near ends of connections from: there, another
 * program's connection could sit on the port of a server that was killed when it is started again.
 */
const FIRST = 15_000;
const LAST = 32_000;

/** One file for each port that a process of tests has taken, with its process id. */
export const TAKEN_PORTS = path.join(tmpdir(), 'backstep-ports');
const mine: string[] = [];

/**
 * Ports that nothing listens on, and that no other process is given while this one lives: a server
 * that was killed finds its port again, whatever runs side by side.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(FIRST, LAST);
    if (!found.has(port) && take(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

/** One port that nothing listens on. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Whether nothing listens on the port. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host: '127.0.0.1', port, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Whether the port is this process's from now on. Ports of dead processes are free for anybody. */
function take(port: number): boolean {
  const file = path.join(TAKEN_PORTS, String(port));
  try {
    mkdirSync(TAKEN_PORTS, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    // Where nothing can be written, chance has to do.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
    if (!isAlive(ownerOf(file))) rmSync(file, { force: true });
    return false;
  }
  if (mine.length === 0) process.once('exit', letGo);
  mine.push(file);
  return true;
}

function letGo(): void {
  for (const file of mine) rmSync(file, { force: true });
}

function ownerOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  // Taken a moment ago, and not written yet.
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
