import path from 'node:path';
import { freePort } from '../servers/free-ports.js';
import { AppProcess, type WrittenSettings } from './app-process.js';
import { REPOSITORY } from './repository.js';

/** How to start the one process that needs no server. */
export interface StandaloneOptions {
  /** For its store, instance directories and log. */
  readonly folder: string;
  readonly name?: string;
  readonly settings?: WrittenSettings;
  readonly environment?: Readonly<Record<string, string>>;
  /** In place of the app's own entry; see `AppPlan`. */
  readonly entry?: string | undefined;
  /** See `AppPlan`. */
  readonly isBundled?: boolean | undefined;
  readonly nodeFlags?: readonly string[] | undefined;
  readonly openFiles?: number | undefined;
  readonly listenAt?: string | undefined;
}

/** All of Backstep in one process, not started yet, on a free port. */
export async function planStandalone(options: StandaloneOptions): Promise<AppProcess> {
  const { environment = {}, folder, name = 'standalone', settings } = options;
  const { entry, isBundled, listenAt, nodeFlags, openFiles } = options;
  return new AppProcess({
    name,
    app: 'standalone',
    port: await freePort(),
    listenAt,
    folder,
    environment,
    entry,
    isBundled,
    nodeFlags,
    openFiles,
    settings: {
      store: `sqlite:${path.join(folder, 'data', 'backstep.db')}`,
      flows: path.join(REPOSITORY, 'flow-configs'),
      lab: 'on',
      ...settings,
    },
  });
}
