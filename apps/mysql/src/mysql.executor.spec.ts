import { describe, expect, it } from '@jest/globals';
import type { TaskMarks } from '#ports';
import { commandContext } from '#testing';
import {
  type Attempt,
  type InstanceDescription,
  type InstanceProvider,
  type InstanceSpec,
  InstanceTaken,
} from './instance.js';
import { MysqlExecutor } from './mysql.executor.js';

/** Remembers what it was asked for; one name is taken. */
class RecordingProvider implements InstanceProvider {
  readonly marks: TaskMarks = { forget: async () => 0, async *oldTasks() {} };
  readonly made: InstanceSpec[] = [];
  readonly undone: string[] = [];

  async init(_attempt: Attempt, spec: InstanceSpec): Promise<InstanceDescription> {
    const { instance } = spec;
    if (instance === 'taken') throw new InstanceTaken(instance);
    this.made.push(spec);
    const [schema, user] = [instance, instance];
    return { instance, schema, user, endpoint: 'h:1', credentials: 'c', provider: 'p' };
  }

  async undoInit({ run }: Attempt): Promise<void> {
    this.undone.push(run);
  }

  async clean(_attempt: Attempt, instance: string): Promise<boolean> {
    return instance !== 'nobody';
  }

  madeBy(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  async close(): Promise<void> {}
}

function newExecutor() {
  const provider = new RecordingProvider();
  return { provider, executor: new MysqlExecutor(provider) };
}

describe('the commands of module mysql', () => {
  it('init names an instance after its task and sizes it', async () => {
    const { executor, provider } = newExecutor();
    const context = commandContext({ taskId: '0192f3c4-aaaa-7bbb-8ccc-0123456789ab' });
    const made = await executor.initInstance({ cpu: 4, memory: 8, storage: 500 }, context);
    expect(made).toMatchObject({ instance: 'db-0123456789ab', endpoint: 'h:1' });
    expect(provider.made).toEqual([
      { instance: 'db-0123456789ab', role: null, connections: 200, memory: 8, storage: 500 },
    ]);
  });

  it('init tells about a member of a cluster under its own name', async () => {
    const { executor } = newExecutor();
    const parameters = { instance: 'shop', role: 'replica', nameSuffix: 'replica-1' };
    expect(await executor.initInstance(parameters, commandContext())).toMatchObject({
      'replica-1': { instance: 'shop-replica-1' },
    });
  });

  it.each(['taken', 'a b', '../x', '`x`', 'x'.repeat(33), '1x'])(
    'init fails for good where the name is %s',
    async (instance) => {
      const { executor, provider } = newExecutor();
      await expect(executor.initInstance({ instance }, commandContext())).rejects.toMatchObject({
        name: 'TerminalError',
      });
      expect(provider.made).toEqual([]);
    },
  );

  it.each(['mysql', 'PUBLIC', 'CON', 'Com1', 'information_schema', 'backstep', 'root', 'NONE'])(
    'init makes no instance by the reserved name %s, and one that is there can be removed',
    async (instance) => {
      const { executor, provider } = newExecutor();
      await expect(executor.initInstance({ instance }, commandContext())).rejects.toMatchObject({
        name: 'TerminalError',
        message: `"${instance}" is reserved: choose another name for the instance`,
      });
      expect(provider.made).toEqual([]);
      const removed = await executor.cleanInstance({ instance }, commandContext());
      expect(removed).toEqual({ removed: instance });
    },
  );

  it('init takes a name that only begins with a reserved one', async () => {
    const { executor, provider } = newExecutor();
    await executor.initInstance({ instance: 'con', nameSuffix: 'a' }, commandContext());
    expect(provider.made).toMatchObject([{ instance: 'con-a' }]);
  });

  it('clean as a rollback undoes its step, whatever the parameters say', async () => {
    const { executor, provider } = newExecutor();
    const context = commandContext({ direction: 'rollback', run: 'primary' });
    await executor.cleanInstance({ instance: '../x' }, context);
    expect(provider.undone).toEqual(['primary']);
  });

  it('clean as a step of its own says what it removed', async () => {
    const { executor } = newExecutor();
    const clean = (instance?: string) =>
      executor.cleanInstance({ instance: instance ?? null }, commandContext());
    expect(await clean('shop')).toEqual({ removed: 'shop' });
    expect(await clean('nobody')).toEqual({ removed: null });
    await expect(clean('../x')).rejects.toMatchObject({ name: 'TerminalError' });
    await expect(clean()).rejects.toMatchObject({ name: 'TerminalError' });
  });
});
