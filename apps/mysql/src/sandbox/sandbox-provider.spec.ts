import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FakeEntropy, SystemClock } from '#testing';
import { attemptAt, providerContract, specNamed } from '../provider-suite-spec.js';
import { SandboxFolders } from './sandbox-folders.js';
import { openSandbox } from './sandbox-provider.js';

function newSandbox() {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-sandbox-'));
  const clock = new SystemClock();
  const entropy = new FakeEntropy();
  const fileOf = (instance: string) => path.join(dataFolder, 'instances', instance, 'my.cnf');
  return {
    dataFolder,
    open: () => openSandbox({ clock, dataFolder, entropy }),
    exists: (instance: string) => Promise.resolve(existsSync(path.dirname(fileOf(instance)))),
    passwordOf: (instance: string) => {
      const password = /^password = (.*)$/m.exec(readFileSync(fileOf(instance), 'utf8'))?.[1];
      return Promise.resolve(password ?? '');
    },
    remove: () => Promise.resolve(rmSync(dataFolder, { recursive: true })),
  };
}

providerContract('sandbox', () => Promise.resolve(newSandbox()));

describe('the sandbox', () => {
  it('says that it is one, and keeps its files to this user', async () => {
    const place = newSandbox();
    const provider = await place.open();
    const made = await provider.init(attemptAt(1), specNamed('db-1'));
    await provider.close();
    const file = path.join(place.dataFolder, made.credentials);
    expect(readFileSync(file, 'utf8')).toMatch(/^# This is a sandbox: no database server runs/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(made).toMatchObject({ provider: 'sandbox', endpoint: 'db-1.sandbox.invalid:3306' });
    await place.remove();
  });

  it('leaves nothing staged behind', async () => {
    const place = newSandbox();
    const provider = await place.open();
    await provider.init(attemptAt(1), specNamed('db-1'));
    await provider.init(attemptAt(2), specNamed('db-1'));
    await provider.undoInit(attemptAt(3));
    await provider.close();
    expect(readdirSync(path.join(place.dataFolder, 'instances'))).toEqual(['.staging']);
    expect(readdirSync(path.join(place.dataFolder, 'instances', '.staging'))).toEqual([]);
    await place.remove();
  });

  it('has nothing to move for an attempt that wakes after its undo', async () => {
    const place = newSandbox();
    const provider = await place.open();
    const folders = new SandboxFolders(path.join(place.dataFolder, 'instances'));
    // An attempt that staged, stored its intent, and was stopped there.
    await folders.stage(attemptAt(1), { 'my.cnf': '' });
    await provider.undoInit(attemptAt(2));
    await expect(folders.place(attemptAt(1), 'db-1')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await place.exists('db-1')).toBe(false);
    await provider.close();
    await place.remove();
  });
});
