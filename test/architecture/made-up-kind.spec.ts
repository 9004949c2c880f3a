import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../docs/pages.js';

/** Everything of the product that a kind of step needs: two files, and a line in two tables. */
const TOUCHED = {
  'libs/kinds/src/stage': 'declaration',
  'libs/kinds/src/table': 'line',
  'libs/core/src/kinds/stage': 'rules',
  'libs/core/src/kinds/table': 'line',
} as const;

/** Generated from these, and the page that people read. */
const FOLLOWING = ['schemas/flow.v1.json', 'schemas/http-api.d.ts', 'docs/flow-language.md'];

const SOURCES = path.join(REPOSITORY, 'test/architecture/made-up-kind');

/** The findings of `use.js.txt` in a copy of the built product that has one kind more. */
interface Found {
  readonly problems: readonly unknown[];
  readonly plan: object;
  readonly shown: object;
  readonly lists: readonly unknown[];
  readonly moves: readonly unknown[];
  readonly outcome: string;
  readonly schema: object;
  readonly documented: readonly object[];
  readonly wrong: readonly string[];
  readonly kept: unknown;
}

let folder: string;
let found: Found;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-kind-'));
  for (const part of ['libs', 'apps/oss', 'workshop/drawing']) {
    const filter = (file: string): boolean => !file.endsWith('.map');
    const target = path.join(folder, 'dist', part);
    await cp(path.join(REPOSITORY, 'dist', part), target, { recursive: true, filter });
  }
  await symlink(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  const own = await readFile(path.join(REPOSITORY, 'package.json'), 'utf8');
  const { imports } = JSON.parse(own) as { readonly imports: object };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  for (const [file, how] of Object.entries(TOUCHED)) {
    const target = path.join(folder, 'dist', `${file}.js`);
    if (how === 'line') await addLine(target);
    else await cp(path.join(SOURCES, `${how}.js.txt`), target);
  }
  const script = path.join(folder, 'use.js');
  await cp(path.join(SOURCES, 'use.js.txt'), script);
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: folder });
  found = JSON.parse(stdout) as Found;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports the kind, and names it behind the last one. */
async function addLine(table: string): Promise<void> {
  const text = await readFile(table, 'utf8');
  const wider = text.replace(/^( +)dynamic,?$/m, '$1dynamic,\n$1stage');
  expect(wider).not.toBe(text);
  await writeFile(table, `import { stage } from './stage.js';\n${wider}`);
}

describe('a kind of step that is made up', () => {
  it('touches at most eight files of the product', () => {
    expect(Object.keys(TOUCHED).length + FOLLOWING.length).toBeLessThanOrEqual(8);
  });

  it('is read, checked and built', () => {
    expect(found.problems).toEqual([]);
    expect(found.plan).toMatchObject({
      name: 'stage',
      stage: { title: '{% $task.flow %}', limitMs: 300_000, steps: [{ name: 'a' }] },
    });
    expect(found.wrong).toEqual([
      expect.stringContaining('Did you mean `stage`?'),
      expect.stringContaining('The steps of a `stage` have rollbacks of their own'),
      expect.stringContaining('`limit` must be a duration'),
      expect.stringContaining('No step of this stage is called `b`.'),
    ]);
  });

  it('asks for its templates, runs its steps and ends', () => {
    const asked = [{ name: 'title', template: '{% $task.flow %}', as: 'text' }];
    expect(found.moves).toEqual([asked, 'stage#1/a']);
    expect(found.outcome).toBe('succeeded');
  });

  it('is shown as it was written, drawn, and kept apart from data', () => {
    const steps = [expect.objectContaining({ name: 'a' })];
    const stage = { title: '{% $task.flow %}', limit: 300, steps };
    expect(found.shown).toEqual({ name: 'stage', needs: [], stage });
    expect(found.lists).toEqual([['stage {% $task.flow %}', 1]]);
    expect(found.kept).toMatchObject([{ stage: { title: '{% "{% $task.flow %}" %}' } }]);
  });

  it('is in the schema of flows and in the OpenAPI document', () => {
    expect(found.schema).toMatchObject({
      required: ['title', 'steps'],
      properties: {
        limit: { $ref: '#/$defs/duration' },
        steps: { items: { $ref: '#/$defs/step' } },
      },
    });
    expect(found.documented).toMatchObject([
      { required: ['title', 'limit'] },
      { required: ['title', 'limit', 'steps'] },
    ]);
  });
});
