import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Command, Executor } from 'backstep';
import { startStandalone } from 'backstep/standalone';
import { secretResolverContract } from 'backstep/testing';
import { KeyringSecrets } from './keyring.secrets.js';

const folder = mkdtempSync(path.join(tmpdir(), 'keyring-'));
afterAll(() => rmSync(folder, { recursive: true }));

secretResolverContract('keyring', async () => {
  const own = mkdtempSync(path.join(folder, 'contract-'));
  const [file, away] = [path.join(own, 'keyring.json'), path.join(own, 'away.json')];
  const keyring: Record<string, Record<string, string>> = {};
  return {
    resolver: new KeyringSecrets(file),
    hasKeys: true,
    put: async ({ key, path: name }, secret) => {
      keyring[name] = { [key ?? '']: secret };
      writeFileSync(file, JSON.stringify(keyring));
    },
    leave: async () => renameSync(file, away),
    comeBack: async () => renameSync(away, file),
    close: async () => {},
  };
});

/** Passwords as commands were given them. */
const given: unknown[] = [];

@Executor('door')
class DoorExecutor {
  @Command('open')
  open({ password }: { password: string }): object {
    given.push(password);
    return { said: `opened with ${password}` };
  }
}

@Module({ controllers: [DoorExecutor] })
class DoorModule {}

const FLOW = {
  'open-door': {
    input: { type: 'object', properties: { password: { type: 'string', secret: true } } },
    steps: [{ name: 'open', normal: { module: 'door', command: 'open' }, rollback: null }],
  },
};

it('gives commands what the rules list for their module', async () => {
  const file = path.join(folder, 'own.json');
  writeFileSync(file, JSON.stringify({ door: { password: 'kept-in-a-keyring' } }));
  writeFileSync(path.join(folder, 'flow.json'), JSON.stringify(FLOW));
  const backstep = await startStandalone({
    modules: [DoorModule],
    flows: folder,
    store: path.join(folder, 'backstep.db'),
    http: '127.0.0.1:0',
    secretResolvers: [new KeyringSecrets(file)],
    settings: { secrets: 'door=keyring:door', log: 'silent' },
  });
  try {
    const task = await run(backstep.url, { $secret: 'keyring:door#password' });
    expect(task).toMatchObject({ status: 'succeeded' });
    expect(task).toMatchObject({ parameters: { said: 'opened with ***' } });
    expect(given).toEqual(['kept-in-a-keyring']);
    const other = await run(backstep.url, { $secret: 'keyring:safe#password' });
    expect(other).toMatchObject({ lastError: { code: 'SECRET_NOT_ALLOWED' } });
  } finally {
    await backstep.stop();
  }
});

async function run(url: string, password: object): Promise<unknown> {
  const response = await fetch(`${url}/v1/tasks?wait=30s`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ flow: 'open-door', parameters: { password } }),
  });
  return response.json();
}
