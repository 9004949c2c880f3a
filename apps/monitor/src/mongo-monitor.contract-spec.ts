import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { commandContext, RecordingObserver, SystemClock } from '#testing';
import { describeWith } from '../../../test/servers/describe-with.js';
import { type MongoServer, present, startMongo, TcpProxy } from '../../../test/servers/index.js';
import { waitUntil } from '../../../test/servers/wait-until.js';
import { eventContract } from './event-suite-spec.js';
import { type MonitorStore, openMonitorStore } from './monitor-store.js';
import { targetContract } from './target-suite-spec.js';
import { TargetExecutor } from './target.executor.js';

const clock = new SystemClock();
let databases = 0;

/** A database, and a data folder for each process that opens it. */
function placeOn(serverUrl: string) {
  const url = new URL(serverUrl);
  url.pathname = `/monitor_${process.pid}_${(databases += 1)}`;
  const folders: string[] = [];
  const stores: MonitorStore[] = [];
  const openStore = async () => {
    const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-monitor-'));
    folders.push(dataFolder);
    const store = { mongodbUrl: url.href };
    const observer = new RecordingObserver();
    const opened = await openMonitorStore({ clock, dataFolder, observer, store });
    stores.push(opened);
    const file = path.join(dataFolder, 'targets', 'backstep.json');
    return { ...opened, file };
  };
  return {
    openStore,
    open: openStore,
    remove: async () => {
      for (const store of stores) await store.close();
      const client = new MongoClient(serverUrl);
      await client.db(url.pathname.slice(1)).dropDatabase();
      await client.close();
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}

describeWith('what monitor keeps in MongoDB', { servers: ['mongo'] }, () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = present(await startMongo());
  }, 240_000);

  afterAll(async () => {
    await server?.stop();
  });

  targetContract('MongoDB', async () => placeOn(server.url));

  eventContract('MongoDB', async () => {
    const place = placeOn(server.url);
    return { open: async () => (await place.openStore()).events, remove: place.remove };
  });

  describe('a machine', () => {
    const parameters = { instance: 'db-1', endpoint: 'h1:3306' };
    const watchedIn = (file: string): unknown =>
      (JSON.parse(readFileSync(file, 'utf8')) as { targets: string[] }[]).map((group) => {
        return group.targets[0];
      });

    it('has the targets of all machines in its own file', async () => {
      const place = placeOn(server.url);
      const [one, other] = [await place.openStore(), await place.openStore()];
      await new TargetExecutor(one.targets).addTarget(parameters, commandContext());
      expect(watchedIn(one.file)).toEqual(['h1:3306']);
      const follows = async () => expect(watchedIn(other.file)).toEqual(['h1:3306']);
      await waitUntil(follows, { what: 'the other file does not follow', deadlineMs: 30_000 });
      const later = await place.openStore();
      expect(watchedIn(later.file)).toEqual(['h1:3306']);
      await place.remove();
    }, 60_000);

    // The driver looks for a server for ten seconds before it says that there is none.
    it('says so while the server is away, and then goes on', async () => {
      const proxy = await TcpProxy.openBefore(server.url);
      const place = placeOn(proxy.through(server.url));
      const { events, targets } = await place.openStore();
      const executor = new TargetExecutor(targets);
      try {
        proxy.set('cut');
        const first = commandContext({ fencingToken: 1 });
        const asked = [executor.addTarget(parameters, first), targets.list(), events.list(1)];
        for (const answer of asked) await expect(answer).rejects.toThrow(StoreUnavailable);
        proxy.set('pass');
        await executor.addTarget(parameters, commandContext({ fencingToken: 2 }));
        expect(await targets.list()).toHaveLength(1);
      } finally {
        proxy.set('pass');
        await place.remove();
        await proxy.close();
      }
    }, 240_000);
  });
});
