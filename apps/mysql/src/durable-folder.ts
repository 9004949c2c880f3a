import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Makes a folder with files that survive a power cut. Secret: only this user may read them. */
export async function writeFolder(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    const file = await open(path.join(folder, name), 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  await syncFolder(folder);
}

/** Moves a folder atomically and durably. The code of an error says what went wrong. */
export async function moveFolder(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Removes a folder: it is gone at once, its content afterwards. */
export async function removeFolder(folder: string, by: string): Promise<void> {
  await rm(by, { recursive: true, force: true });
  try {
    await rename(folder, by);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  await syncFolder(path.dirname(folder));
  await rm(by, { recursive: true, force: true });
}

/** The code of an error of the file system. */
export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
