import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository that these pages are about. */
export const REPOSITORY = findRepository(path.dirname(fileURLToPath(import.meta.url)));

/** A page for people. */
export interface Page {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The pages of the root, and of docs/. */
export function readPages(): Page[] {
  const root = readdirSync(REPOSITORY);
  const docs = readdirSync(path.join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' });
  const names = [...root, ...docs.map((name) => `docs/${name.split(path.sep).join('/')}`)];
  return names.filter((name) => name.endsWith('.md')).map((name) => readPage(name));
}

/** One page. */
export function readPage(name: string): Page {
  return { path: name, text: readFileSync(path.join(REPOSITORY, name), 'utf8') };
}

/** This file is run where it lies and from dist/; the clone itself may be called anything. */
function findRepository(folder: string): string {
  const isRoot = existsSync(path.join(folder, 'package.json'));
  return isRoot ? folder : findRepository(path.dirname(folder));
}
