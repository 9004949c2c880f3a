import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startProcess } from '#process';
import { loadSettings } from '#settings';
import { standaloneProcess } from '../../../standalone/src/index.js';

/** A whole Backstep whose data is gone when it is closed. */
export interface DemoServer {
  readonly url: string;
  /** Where its data is. */
  readonly folder: string;
  /** Names of the database instances that there are now. */
  instances(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Resources that one instance of the demo takes. */
export const SIZE = { cpu: 4, memory: 8, storage: 500 } as const;

/** One host with room for two instances: enough to fail naturally. */
const HOSTS = [{ host: 'host-1', cpu: 8, memory: 16, storage: 1_000 }];

/** Starts it. Nothing of the user's settings counts, so that a demo is the same everywhere. */
export async function openDemoServer(port: number, log: 'error' | 'info'): Promise<DemoServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-demo-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const hostsFile = path.join(folder, 'hosts.json');
    await writeFile(hostsFile, JSON.stringify(HOSTS));
    const flags = {
      store: `sqlite:${path.join(folder, 'backstep.db')}`,
      http: `127.0.0.1:${port}`,
      flows: shippedFlows(),
      resourceHosts: hostsFile,
      drain: '2s',
      log,
    };
    const settings = loadSettings({ mode: 'demo', flags, cwd: folder });
    const running = await startProcess(standaloneProcess, settings);
    return {
      url: running.url,
      folder,
      instances: () => instancesIn(path.join(folder, 'instances')),
      close: async () => {
        await running.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The flows that come along, wherever this file was built to. */
function shippedFlows(): string {
  let folder = import.meta.dirname;
  for (;;) {
    const flows = path.join(folder, 'flow-configs');
    if (existsSync(flows)) return flows;
    const above = path.dirname(folder);
    if (above === folder) throw new Error('the folder flow-configs that comes along is missing');
    folder = above;
  }
}

async function instancesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  // Names that start with a dot are the sandbox's own.
  return names.filter((name) => !name.startsWith('.')).toSorted();
}
