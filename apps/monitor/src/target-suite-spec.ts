import { describe, expect, it } from '@jest/globals';
import { commandContext } from '#testing';
import type { TargetList } from './target-list.js';
import { TargetExecutor } from './target.executor.js';

/** Targets as one process has opened them, with the file that it writes. */
interface OpenTargets {
  readonly file: string;
  readonly targets: TargetList;
}

/** Where targets under test are kept. */
export interface TargetPlace {
  /** Opens the targets, as another process would. */
  open(): Promise<OpenTargets>;
  /** Closes everything that was opened, and removes what is left. */
  remove(): Promise<void>;
}

interface Scene {
  readonly executor: TargetExecutor;
  readonly opened: OpenTargets;
  readonly place: TargetPlace;
  /** Hosts and ports that are watched. */
  watched(): Promise<readonly string[]>;
}

type Rule = (name: string, body: (scene: Scene) => Promise<void>) => void;

const DB1 = { instance: 'db-1', endpoint: 'h1:3306' };

const adding = (fencingToken: number, taskId = 't') => commandContext({ taskId, fencingToken });
const undoing = (fencingToken: number, taskId = 't') =>
  commandContext({ taskId, fencingToken, direction: 'rollback' });

/** The contract of every list of targets under the commands of the module. */
export function targetContract(name: string, newPlace: () => Promise<TargetPlace>): void {
  const rule: Rule = (ruleName, body) => {
    it(ruleName, async () => {
      const place = await newPlace();
      try {
        const opened = await place.open();
        const executor = new TargetExecutor(opened.targets);
        const watched = async () => (await opened.targets.list()).map(({ target }) => target);
        await body({ executor, opened, place, watched });
      } finally {
        await place.remove();
      }
    });
  };
  describe(`targets contract: ${name}`, () => {
    describeAdding(rule);
    describeRemoving(rule);
    describeRefusals(rule);
  });
}

function describeAdding(rule: Rule): void {
  rule('a target is listed with its labels', async ({ executor, opened }) => {
    await executor.addTarget({ ...DB1, targetLabels: { team: 'shop' } }, adding(1));
    expect(await opened.targets.list()).toEqual([
      {
        instance: 'db-1',
        target: 'h1:3306',
        labels: { team: 'shop', instance: 'db-1', flow: 'flow', task_id: 't' },
      },
    ]);
  });

  rule('what is watched for a task is what it still holds', async ({ executor }) => {
    await executor.addTarget(DB1, adding(1));
    expect(await executor.residue('t')).toEqual([{ what: 'the monitoring of db-1' }]);
    expect(await executor.residue('other')).toEqual([]);
    await executor.removeTarget(DB1, undoing(2));
    expect(await executor.residue('t')).toEqual([]);
  });

  rule('every member of a cluster is watched', async ({ executor, opened }) => {
    const member = (n: number) => ({ instance: `i${n}`, endpoint: `h${n}:1`, role: 'replica' });
    const results = { one: { a: member(1) }, two: { b: member(2), cpu: 4 } };
    const context = commandContext({ results });
    expect(await executor.addTarget({}, context)).toEqual({ watched: ['h1:1', 'h2:1'] });
    expect(await opened.targets.list()).toMatchObject([
      { labels: { role: 'replica' } },
      { target: 'h2:1' },
    ]);
  });

  rule('what is added once is taken back once, and never added after that', async (scene) => {
    const { executor, watched } = scene;
    await executor.addTarget(DB1, adding(1));
    await executor.addTarget(DB1, adding(2));
    expect(await watched()).toEqual(['h1:3306']);
    await executor.removeTarget({}, undoing(3));
    expect(await watched()).toEqual([]);
    await expect(executor.addTarget(DB1, adding(2))).rejects.toMatchObject({ name: 'Superseded' });
    expect(await watched()).toEqual([]);
  });

  rule(
    'what one process has added another one takes back',
    async ({ executor, place, watched }) => {
      const other = new TargetExecutor((await place.open()).targets);
      await executor.addTarget(DB1, adding(1));
      await other.addTarget(DB1, adding(2));
      await other.removeTarget({}, undoing(3));
      expect(await watched()).toEqual([]);
      await other.addTarget({ ...DB1, endpoint: 'h2:1' }, adding(4, 'next'));
      expect(await watched()).toEqual(['h2:1']);
    },
  );

  rule('a target stays with the task that added it', async ({ executor, watched }) => {
    await executor.addTarget(DB1, adding(1, 'first'));
    const attempt = executor.addTarget({ ...DB1, endpoint: 'h2:1' }, adding(1, 'second'));
    await expect(attempt).rejects.toMatchObject({
      name: 'TerminalError',
      message: 'instance db-1 is watched already, for task first',
    });
    expect(await watched()).toEqual(['h1:3306']);
    await executor.removeTarget({}, undoing(2, 'second'));
    expect(await watched()).toEqual(['h1:3306']);
  });

  rule('of members of which one is taken none is watched', async ({ executor, watched }) => {
    await executor.addTarget(DB1, adding(1, 'first'));
    const results = { made: { a: { instance: 'db-0', endpoint: 'h0:1' }, b: DB1 } };
    const attempt = executor.addTarget({}, commandContext({ taskId: 'second', results }));
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
    expect(await watched()).toEqual(['h1:3306']);
  });

  rule('nothing is lost when tasks and processes write at once', async (scene) => {
    const { executor, place, watched } = scene;
    const other = new TargetExecutor((await place.open()).targets);
    const names = Array.from({ length: 40 }, (_, n) => `i${String(n).padStart(2, '0')}`);
    await Promise.all(
      names.map((instance, n) => {
        const parameters = { instance, endpoint: `${instance}:1` };
        return (n % 2 ? executor : other).addTarget(parameters, adding(1, instance));
      }),
    );
    expect(await watched()).toEqual(names.map((instance) => `${instance}:1`));
  });

  rule('what steps have made is watched, not what a request says they have', async (scene) => {
    const { executor, watched } = scene;
    const parameters = { x: { instance: 'other', endpoint: 'evil.example:80' } };
    const attempt = executor.addTarget({}, commandContext({ parameters }));
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
    const results = { init: { instance: 'db-1', endpoint: 'h1:3306' } };
    const given = { instance: 'other', endpoint: 'evil.example:80' };
    await executor.addTarget(given, commandContext({ parameters, results }));
    expect(await watched()).toEqual(['h1:3306']);
  });
}

function describeRemoving(rule: Rule): void {
  rule('a removal is a step of its own, and its rollback adds again', async (scene) => {
    const { executor, opened, watched } = scene;
    await executor.addTarget(DB1, adding(1));
    const before = await opened.targets.list();
    const removal = adding(1, 'deletion');
    for (const attempt of [removal, adding(2, 'deletion')]) {
      expect(await executor.removeTarget({ instance: 'db-1' }, attempt)).toEqual({
        unwatched: ['db-1'],
      });
    }
    expect(await watched()).toEqual([]);
    await executor.addTarget({ instance: 'db-1' }, undoing(3, 'deletion'));
    expect(await opened.targets.list()).toEqual(before);
  });

  rule('the rollback of a removal leaves what took the place meanwhile', async (scene) => {
    const { executor, watched } = scene;
    await executor.addTarget(DB1, adding(1));
    await executor.removeTarget({ instance: 'db-1' }, adding(1, 'deletion'));
    await executor.addTarget({ ...DB1, endpoint: 'h2:1' }, adding(1, 'next'));
    await executor.addTarget({ instance: 'db-1' }, undoing(2, 'deletion'));
    expect(await watched()).toEqual(['h2:1']);
  });

  rule('nothing is removed where nothing is watched', async ({ executor }) => {
    expect(await executor.removeTarget({ instance: 'db-1' }, adding(1))).toEqual({ unwatched: [] });
  });
}

const REFUSED = [
  {},
  { instance: 'db-1' },
  { instance: 'db-1', endpoint: 'a/b' },
  { ...DB1, endpoint: 'h1:0' },
  { ...DB1, endpoint: '169.254.169.254:80' },
  { ...DB1, targetLabels: { 'a-b': 'c' } },
  { ...DB1, targetLabels: { __metrics_path__: '/latest/meta-data' } },
  { ...DB1, targetLabels: { job: 'node' } },
  { ...DB1, targetLabels: { instance: 'db-2' } },
  { ...DB1, targetLabels: { a: 1 } },
];

function describeRefusals(rule: Rule): void {
  rule('what Prometheus could not watch fails for good', async ({ executor, watched }) => {
    for (const parameters of REFUSED) {
      const attempt = executor.addTarget(parameters, adding(1));
      await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
    }
    expect(await watched()).toEqual([]);
  });
}
