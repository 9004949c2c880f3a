import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { packageOf } from './own-executors.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'own-executors-'));
  await mkdir(path.join(folder, 'dist/deep'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

const packaged = (text: string, at = '.') => writeFile(path.join(folder, at, 'package.json'), text);
const packageFound = () => packageOf([path.join(folder, 'dist/deep/main.js')]);

it('names the package that has the file, and its version', async () => {
  await packaged('{"name": "rent", "version": "1.4.2"}');
  expect(await packageFound()).toBe('rent@1.4.2');
  await packaged('{"name": "@firm/inner", "version": "2.0.0"}', 'dist');
  expect(await packageFound()).toBe('@firm/inner@2.0.0');
});

it.each(['{"type": "module"}', '{"name": "rent", "version": 1}', '{', 'null'])(
  'names nothing where the package does not say: %s',
  async (text) => {
    await packaged(text);
    expect(await packageFound()).toBeUndefined();
  },
);

it('names nothing without a file', async () => {
  expect(await packageOf([])).toBeUndefined();
});
