import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { ManualClock } from '#testing';
import { Command, createExecutorApp, Executor, ExecutorServer } from './index.js';

class Vault {
  @Command('issue', { secrets: ['token', 'key'] })
  issue(): object {
    return { token: 't', key: 'k' };
  }

  @Command('check')
  check(): null {
    return null;
  }
}

@Executor('vault')
class VaultExecutor extends Vault {}

@Executor('plain')
class PlainExecutor {
  @Command('check', {})
  check(): null {
    return null;
  }
}

@Module({ controllers: [VaultExecutor] })
class VaultModule {}

@Module({ controllers: [PlainExecutor] })
class PlainModule {}

async function serverOf(module: new () => object): Promise<ExecutorServer> {
  const server = new ExecutorServer({ clock: new ManualClock() });
  const app = await createExecutorApp(module, server);
  await app.init();
  return server;
}

describe('a command that gives secrets', () => {
  it('names the members of its output, also where it is inherited', async () => {
    const server = await serverOf(VaultModule);
    expect(server.find('vault', 'issue')?.secrets).toEqual(['token', 'key']);
    expect(server.find('vault', 'check')?.secrets).toBeUndefined();
  });

  it('is told of, for the start of a process without a key', async () => {
    expect((await serverOf(VaultModule)).givesSecrets()).toBe('VaultExecutor.issue');
    expect((await serverOf(PlainModule)).givesSecrets()).toBeUndefined();
  });

  it('has names of members and nothing else', () => {
    expect(() => Command('issue', { secrets: [''] })).toThrow('names of members of its output');
  });
});
