import type { DynamicModule, Type } from '@nestjs/common';
import type { SecretResolver } from '#ports';
import { type ProcessHandle, type ProcessPlan, startProcess } from '#process';
import { loadSettings } from '#settings';
import { monitorParts } from '../../monitor/src/index.js';
import { ossParts } from '../../oss/src/index.js';

/** Options for a program of your own that runs Backstep. */
export interface StandaloneOptions {
  /** Nest modules whose controllers are executors: classes with `@Executor` and `@Command`. */
  readonly modules: readonly (Type | DynamicModule)[];
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

/** The same, with something put around the ports, and another level for lines of authors. */
export function startAround(
  options: StandaloneOptions,
  { authorLevel, decorate }: Pick<ProcessPlan, 'authorLevel' | 'decorate'> = {},
): Promise<ProcessHandle> {
  const { flows, http, modules, secretResolvers, store } = options;
  const flags = {
    ...options.settings,
    flows,
    ...(store !== undefined && { store: `sqlite:${store}` }),
    ...(http !== undefined && { http }),
  };
  const settings = loadSettings({
    mode: 'dev',
    flags,
    flagSource: 'program',
    env: process.env,
    cwd: process.cwd(),
  });
  return startProcess(
    {
      name: 'standalone',
      port: 7070,
      duties: { executor: true, governance: true },
      isOfAuthors: true,
      ...(authorLevel && { authorLevel }),
      ...(decorate && { decorate }),
      ...(secretResolvers && { secretResolvers }),
      parts: (context) => {
        const gateway = ossParts(context, context.executors);
        // Without its monitor, an alert would reach nobody.
        const { modules: monitor } = monitorParts(context);
        return { ...gateway, modules: [...gateway.modules, ...monitor, ...modules] };
      },
    },
    settings,
  );
}
