import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { ExecutorsError, loadExecutors } from './load-executors.js';

let folder: string;
const shared = globalThis as { given?: unknown };

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'executors-'));
});
afterAll(() => {
  delete shared.given;
  rmSync(folder, { recursive: true });
});

@Controller()
class NoModule {}

@Module({ controllers: [NoModule] })
class StockModule {}

let files = 0;

/** Loads a new file with this text; `given` is what it may export. */
function load(text: string, given?: unknown): ReturnType<typeof loadExecutors> {
  shared.given = given;
  const file = path.join(folder, `${(files += 1)}.mjs`);
  writeFileSync(file, text);
  return loadExecutors(file);
}

const dynamic = { module: StockModule };

it.each([
  ['a module', StockModule, [StockModule]],
  ['a dynamic module', dynamic, [dynamic]],
  ['a list of both', [StockModule, dynamic], [StockModule, dynamic]],
])('takes %s', async (_what, given, modules) => {
  expect(await load('export default globalThis.given;', given)).toEqual(modules);
});

it.each([
  ['a class that is no module', NoModule],
  ['a list with one in it', [StockModule, NoModule]],
  ['an empty list', []],
  ['nothing', undefined],
  ['null', null],
  ['an object', {}],
  ['a text', 'StockModule'],
])('refuses %s', async (_what, given) => {
  const loaded = load('export default globalThis.given;', given);
  await expect(loaded).rejects.toThrow(ExecutorsError);
  await expect(loaded).rejects.toThrow('must export a Nest module by default');
});

it.each([
  ['cannot be loaded: Unexpected token', 'export default };'],
  ['cannot be loaded: the licence has ended', "throw new Error('the licence has ended');"],
])('says why a file %s', async (sentence, text) => {
  await expect(load(text)).rejects.toThrow(sentence);
});

it('says where the code of a file has thrown', async () => {
  const loading = load("throw new Error('the licence has ended');");
  const error = await loading.catch((refused: unknown) => refused as ExecutorsError);
  expect((error as ExecutorsError).place).toMatch(/^Error: the licence.*\n +at .*\.mjs:1:7/);
});

it('says no place of what is only missing', () => {
  expect(new ExecutorsError('there is no file').place).toBeUndefined();
  const own = new ExecutorsError('no', { cause: new Error('thrown by Backstep itself') });
  expect(own.place).toBeUndefined();
});

it('says that there is no file', async () => {
  await expect(loadExecutors(path.join(folder, 'none.js'))).rejects.toThrow('there is no file');
  await expect(loadExecutors(folder)).rejects.toThrow('there is no file');
});
