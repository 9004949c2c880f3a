import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from '../stack/index.js';

/** Another copy of Nest, as a project has that installs it a second time. */
export async function secondNest(): Promise<typeof import('@nestjs/common')> {
  // In the repository, from where it finds the packages that it needs.
  const folder = mkdtempSync(path.join(REPOSITORY, 'dist', '.nest-'));
  try {
    cpSync(path.join(REPOSITORY, 'node_modules/@nestjs/common'), folder, { recursive: true });
    const entry = pathToFileURL(path.join(folder, 'index.js')).href;
    return (await import(entry)) as typeof import('@nestjs/common');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
