import type { Clock, SecretResolver } from '#ports';
import {
  type ProcessContext,
  type ProcessHandle,
  type ProcessPlan,
  type RunningProcess,
  startProcess,
} from '#process';
import { loadSettings, type Settings, type SettingsInput } from '#settings';
import { monitorParts } from '../../monitor/src/index.js';
import { ossParts } from '../../oss/src/index.js';
import type { Gateway, OwnModules } from './own-modules.js';

/** Options for a program of your own that runs Backstep. */
export interface StandaloneOptions {
  /**
   * Nest modules whose controllers are executors: classes with `@Executor` and `@Command`. A
   * function gets the address of the gateway, which is known once it has started.
   */
  readonly modules: OwnModules | ((gateway: Gateway) => OwnModules);
  /** Folder of flow files. */
  readonly flows: string;
  /** File of the embedded store; `./.backstep/backstep.db` where absent. */
  readonly store?: string;
  /** Where to listen; `127.0.0.1:7070` where absent, port 0 for any free one. */
  readonly http?: string;
  /** Fetch secrets by reference, besides `env:`, `file:` and `vault:`. Default: none. */
  readonly secretResolvers?: readonly SecretResolver[];
  /** Further settings, by the names of the flags: `{ concurrency: '8' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts Backstep with executors of your own in this process: gateway, governance, embedded store.
 * Stop it with `stop()`; signals are left to the program. Throws a `SettingsError` or what could
 * not start.
 */
export function startStandalone(options: StandaloneOptions): Promise<ProcessHandle> {
  return startAround(options);
}

/** Additions to a standalone process. */
interface Surroundings extends Pick<ProcessPlan, 'authorLevel'> {
  /** The time of its tasks. Default: the machine's. */
  readonly clock?: Clock;
  /** Makes further modules, which come before those of the options. Default: none. */
  readonly beside?: (context: ProcessContext) => OwnModules;
  /** Where settings are looked for besides. Default: the environment and the files here. */
  readonly sources?: Pick<SettingsInput, 'env' | 'hasFiles'>;
}

/** The same, with additions. */
export async function startAround(
  options: StandaloneOptions,
  { authorLevel, beside = () => [], clock, sources = { env: process.env } }: Surroundings = {},
): Promise<RunningProcess> {
  const { modules, secretResolvers } = options;
  let listens: (url: Promise<string>) => void = () => {};
  const url = new Promise<string>((resolve) => {
    listens = resolve;
  });
  const own = typeof modules === 'function' ? modules({ url }) : modules;
  const starting = startProcess(
    {
      name: 'standalone',
      port: 7070,
      duties: { executor: true, governance: true },
      isOfAuthors: true,
      ...(authorLevel && { authorLevel }),
      ...(clock && { clock }),
      ...(secretResolvers && { secretResolvers }),
      parts: (context) => {
        const gateway = ossParts(context, context.executors);
        // Without its monitor, an alert would reach nobody.
        const { modules: monitor } = monitorParts(context);
        const all = [...gateway.modules, ...monitor, ...beside(context), ...own];
        return { ...gateway, modules: all };
      },
    },
    settingsOf(options, sources),
  );
  const address = starting.then((running) => running.url);
  // Nobody may be waiting for it when the start fails.
  address.catch(() => undefined);
  listens(address);
  url.catch(() => undefined);
  return starting;
}

function settingsOf(
  { flows, http, settings, store }: StandaloneOptions,
  sources: Surroundings['sources'],
): Settings {
  const flags = {
    ...settings,
    flows,
    ...(store !== undefined && { store: `sqlite:${store}` }),
    ...(http !== undefined && { http }),
  };
  return loadSettings({
    mode: 'dev',
    flags,
    flagSource: 'program',
    cwd: process.cwd(),
    ...sources,
  });
}
