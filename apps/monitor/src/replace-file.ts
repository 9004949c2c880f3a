import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/**
 * Gives a file new content: readers see the old one or the new one, also after a power cut. Other
 * users may read it and list its folder, whatever the umask of the process.
 */
export function replaceFile(file: string, content: string): void {
  const folder = path.dirname(file);
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
  // Several processes may have the folder.
  const part = `${file}.${process.pid}.part`;
  writeThrough(part, content);
  renameSync(part, file);
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

function writeThrough(file: string, content: string): void {
  const handle = openSync(file, 'w', 0o644);
  try {
    fchmodSync(handle, 0o644);
    writeFileSync(handle, content);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
