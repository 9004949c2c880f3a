import { describe, expect, it } from '@jest/globals';
import type { Attempt, InstanceProvider, InstanceSpec } from './instance.js';

/** Where instances under test are made. */
interface ProviderPlace {
  /** Opens the provider, as another process would. */
  open(): Promise<InstanceProvider>;
  /** Whether anything of an instance is there. */
  exists(instance: string): Promise<boolean>;
  /** The password that the user of an instance has now. */
  passwordOf(instance: string): Promise<string>;
  remove(): Promise<void>;
}

type Body = (provider: InstanceProvider, place: ProviderPlace) => Promise<void>;

/** An attempt at making an instance. */
export function attemptAt(token: number, given: Partial<Attempt> = {}): Attempt {
  const { signal } = new AbortController();
  return { taskId: 'task-1', run: 'init', fencingToken: token, signal, ...given };
}

/** An instance to make. */
export function specNamed(instance: string, given: Partial<InstanceSpec> = {}): InstanceSpec {
  return { instance, role: null, connections: 10, memory: 4, storage: 20, ...given };
}

/** The contract of every provider. */
export function providerContract(name: string, newPlace: () => Promise<ProviderPlace>): void {
  const rule = (ruleName: string, body: Body) => {
    it(ruleName, async () => {
      const place = await newPlace();
      const provider = await place.open();
      try {
        await body(provider, place);
      } finally {
        await provider.close();
        await place.remove();
      }
    });
  };
  describe(`instance provider contract: ${name}`, () => {
    describeInit(rule);
    describeMade(rule);
    describeUndo(rule);
    describeClean(rule);
  });
}

function describeInit(rule: (name: string, body: Body) => void): void {
  rule('an instance is made and described, its password nowhere to be seen', async (p, place) => {
    const made = await p.init(attemptAt(1), specNamed('db-1', { role: 'replica' }));
    const account = made.provider === 'server' ? 'bks_db-1' : 'db-1';
    expect(made).toMatchObject({
      instance: 'db-1',
      role: 'replica',
      schema: account,
      user: account,
      endpoint: expect.stringMatching(/^[^/]+:\d+$/),
      credentials: expect.any(String),
    });
    expect(await place.exists('db-1')).toBe(true);
    const password = await place.passwordOf('db-1');
    expect(password.length).toBeGreaterThan(20);
    expect(JSON.stringify(made)).not.toContain(password);
  });

  rule('a repetition gives the same instance with the same password', async (p, place) => {
    const made = await p.init(attemptAt(1), specNamed('db-1'));
    const password = await place.passwordOf('db-1');
    const other = await place.open();
    expect(await other.init(attemptAt(2), specNamed('db-1'))).toEqual(made);
    await other.close();
    expect(await place.passwordOf('db-1')).toBe(password);
  });

  rule('attempts at the same time make one instance', async (p, place) => {
    const other = await place.open();
    await Promise.allSettled(
      [1, 2, 3, 4].map((n) => (n % 2 ? p : other).init(attemptAt(n), specNamed('db-1'))),
    );
    await other.init(attemptAt(5), specNamed('db-1'));
    await other.close();
    expect(await place.exists('db-1')).toBe(true);
    await p.undoInit(attemptAt(6));
    expect(await place.exists('db-1')).toBe(false);
  });

  rule("another task's instance is neither taken over nor undone", async (p, place) => {
    const made = await p.init(attemptAt(1), specNamed('db-1'));
    const other = { taskId: 'task-2' };
    await expect(p.init(attemptAt(1, other), specNamed('db-1'))).rejects.toMatchObject({
      name: 'InstanceTaken',
    });
    await p.undoInit(attemptAt(2, other));
    expect(await place.exists('db-1')).toBe(true);
    expect(await p.init(attemptAt(2), specNamed('db-1'))).toEqual(made);
  });

  rule('an attempt that was called off makes nothing', async (p, place) => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(p.init(attemptAt(1, { signal }), specNamed('db-1'))).rejects.toThrow('stopped');
    expect(await place.exists('db-1')).toBe(false);
  });
}

function describeMade(rule: (name: string, body: Body) => void): void {
  rule('the instances of a task are those that it made and that are there', async (p) => {
    await p.init(attemptAt(1), specNamed('db-1'));
    await p.init(attemptAt(1, { run: 'init-2' }), specNamed('db-2'));
    await p.init(attemptAt(1, { taskId: 'task-2' }), specNamed('db-3'));
    expect(await p.madeBy('task-1')).toEqual([
      { instance: 'db-1', run: 'init' },
      { instance: 'db-2', run: 'init-2' },
    ]);
    await p.undoInit(attemptAt(2));
    expect(await p.madeBy('task-1')).toEqual([{ instance: 'db-2', run: 'init-2' }]);
    expect(await p.madeBy('nobody')).toEqual([]);
  });
}

function describeUndo(rule: (name: string, body: Body) => void): void {
  rule('an undo removes the instance, once', async (p, place) => {
    await p.init(attemptAt(1), specNamed('db-1'));
    await p.undoInit(attemptAt(2));
    expect(await place.exists('db-1')).toBe(false);
    await p.init(attemptAt(1, { taskId: 'task-2' }), specNamed('db-1'));
    await p.undoInit(attemptAt(3));
    expect(await place.exists('db-1')).toBe(true);
  });

  rule('an undo of what never was bars it for good', async (p, place) => {
    await p.undoInit(attemptAt(2));
    await expect(p.init(attemptAt(1), specNamed('db-1'))).rejects.toMatchObject({
      name: 'Superseded',
    });
    expect(await place.exists('db-1')).toBe(false);
  });

  rule('whatever is attempted at the same time as the undo, nothing stays', async (p, place) => {
    const other = await place.open();
    await Promise.allSettled([
      p.init(attemptAt(1), specNamed('db-1')),
      other.init(attemptAt(2), specNamed('db-1')),
      p.undoInit(attemptAt(3)),
      other.init(attemptAt(2), specNamed('db-1')),
    ]);
    await other.undoInit(attemptAt(4));
    await other.close();
    expect(await place.exists('db-1')).toBe(false);
  });
}

function describeClean(rule: (name: string, body: Body) => void): void {
  rule('an instance is removed by whoever is told to', async (p, place) => {
    await p.init(attemptAt(1), specNamed('db-1'));
    const deletion = { taskId: 'task-2', run: 'delete' };
    expect(await p.clean(attemptAt(1, deletion), 'db-1')).toBe(true);
    expect(await p.clean(attemptAt(2, deletion), 'db-1')).toBe(true);
    expect(await place.exists('db-1')).toBe(false);
  });

  rule('removing what is not there is no failure', async (p) => {
    expect(await p.clean(attemptAt(1), 'nobody')).toBe(false);
  });
}
