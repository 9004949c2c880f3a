import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';

const folder = mkdtempSync(path.join(tmpdir(), 'backstep-state-'));
const NAME = 'BACKSTEP_TEST_STACK_FOLDER';
const before = process.env[NAME];
process.env[NAME] = folder;
const { removeState, writeState } = await import('./state.js');
if (before === undefined) delete process.env[NAME];
else process.env[NAME] = before;

const FILE = path.join(folder, 'stack.json');

const stateOf = (pid: number) => ({ pid, controlUrl: '', ready: true, members: [] });

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the latest state of the set stays, however many processes end at once', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, pid) => writeState(stateOf(pid))));
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(stateOf(19));
});

it('nothing stays of a set that was forgotten while its state was written', async () => {
  await Promise.all([writeState(stateOf(1)), writeState(stateOf(2)), removeState()]);
  expect(() => readFileSync(FILE)).toThrow('ENOENT');
});
