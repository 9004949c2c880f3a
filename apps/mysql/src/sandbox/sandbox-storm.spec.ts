import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import * as fc from 'fast-check';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import type { BarrierContext } from '#ports';
import { FakeEntropy, playStorm, type StormGate, SystemClock } from '#testing';
import { attemptAt, specNamed } from '../provider-suite-spec.js';
import type { Owner } from '../instance.js';
import { SandboxFolders } from './sandbox-folders.js';
import { SandboxProvider } from './sandbox-provider.js';

const DIES = fc.oneof(fc.integer({ min: 0, max: 7 }), fc.constant(99));

/** Folders whose every move waits at a gate. */
class GatedFolders extends SandboxFolders {
  constructor(
    root: string,
    private readonly gate: StormGate,
  ) {
    super(root);
  }

  override async stage(context: BarrierContext, files: Record<string, string>): Promise<void> {
    await this.gate();
    await super.stage(context, files);
  }

  override async dropStaged(owner: Owner, which: (token: number) => boolean): Promise<void> {
    await this.gate();
    await super.dropStaged(owner, which);
    await this.gate();
  }

  override async read(instance: string) {
    await this.gate();
    return super.read(instance);
  }
}

describe('the sandbox in a storm', () => {
  const clock = new SystemClock();
  const entropy = new FakeEntropy();
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-sandbox-storm-'));
  const root = path.join(folder, 'instances');
  let file: SqliteFile;
  let tasks = 0;

  beforeAll(async () => {
    await new SandboxFolders(root).prepare();
    const database = path.join(folder, 'mysql.db');
    file = await openSqlite({ clock, file: database, migrations: [BARRIER_TABLE] });
  });

  afterAll(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });

  const providerAt = (gate: StormGate) => {
    const write: SqliteFile['write'] = async (job) => {
      await gate();
      return file.write(job);
    };
    const folders = new GatedFolders(root, gate);
    const close = () => Promise.resolve();
    const read: SqliteFile['read'] = (query) => file.read(query);
    return new SandboxProvider({ clock, entropy, folders, file: { close, read, write } });
  };

  it('leaves one instance after success and none after a rollback', async () => {
    const plan = fc.record({
      forwards: fc.array(DIES, { maxLength: 3 }),
      rollbacks: fc.option(fc.array(DIES, { maxLength: 2 })),
      choices: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
    });
    const property = fc.asyncProperty(plan, async (storm) => {
      const taskId = `t${(tasks += 1)}`;
      const target = {
        forward: (token: number, gate: StormGate) =>
          providerAt(gate).init(attemptAt(token, { taskId }), specNamed(taskId)),
        rollback: (token: number, gate: StormGate) =>
          providerAt(gate).undoInit(attemptAt(token, { taskId })),
        count: () => Promise.resolve(existsSync(path.join(root, taskId)) ? 1 : 0),
      };
      await playStorm(target, storm);
    });
    await fc.assert(property, { numRuns: 60 });
  }, 240_000);
});
