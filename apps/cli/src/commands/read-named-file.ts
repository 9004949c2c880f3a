import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileText } from '#json';
import type { Session } from '../session.js';

/** The file that stands for standard input. */
const STDIN = '-';

/**
 * The text of a file that a person names: `-` is standard input, and a pipe is read to its end.
 * Throws as `readFile` does, with `ENODEV` for what is neither a file nor a pipe, such as a device,
 * which might have no end, and `NotUtf8` for text in another encoding.
 */
export async function readNamedFile({ signal, terminal }: Session, file: string): Promise<string> {
  if (file === STDIN) return terminal.readStdin();
  const place = path.resolve(terminal.cwd, file);
  const stats = await stat(place);
  if (stats.isFIFO()) return readPipe(place, signal);
  if (!stats.isFile() && !stats.isDirectory()) {
    throw Object.assign(new Error(`${file} is no file`), { code: 'ENODEV' });
  }
  return fileText(await readFile(place));
}

/** In a process of its own: one that waits for a writer of the pipe could not be left by Ctrl-C. */
async function readPipe(place: string, signal: AbortSignal): Promise<string> {
  const child = spawn('cat', ['--', place], { stdio: ['ignore', 'pipe', 'ignore'], signal });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
  const read = await Promise.race([buffer(child.stdout), failed]);
  signal.throwIfAborted();
  return fileText(read);
}
