import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Gives a file new content: readers see the old one or the new one, also after a power cut. */
export function replaceFile(file: string, content: string): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true });
  const part = `${file}.part`;
  writeThrough(part, content);
  renameSync(part, file);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function writeThrough(file: string, content: string): void {
  const handle = openSync(file, 'w', 0o644);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
