import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The program that checks rules of Prometheus; undefined: it is not installed. */
export function findPromtool(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, 'promtool')).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
