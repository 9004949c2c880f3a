import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readPaths } from './source-tree.js';

interface NestProjects {
  readonly projects: Readonly<Record<string, { readonly sourceRoot: string }>>;
}

describe('nest-cli.json', () => {
  const file = new URL('../../nest-cli.json', import.meta.url);
  const { projects } = JSON.parse(readFileSync(file, 'utf8')) as NestProjects;

  it('has a project for every app and library but the console, which is no Nest app', () => {
    const code = readPaths().filter((path) => !path.startsWith('apps/console/'));
    const folders = code.flatMap((path) => /^(?:apps|libs)\/[^/]+\/src/.exec(path) ?? []);
    const roots = Object.values(projects).map(({ sourceRoot }) => sourceRoot);
    expect([...new Set(folders)].filter((folder) => !roots.includes(folder))).toEqual([]);
  });
});
