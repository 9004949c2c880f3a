import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock, Entropy } from '#ports';
import type { InstanceProvider } from './instance.js';
import { MysqlExecutor } from './mysql.executor.js';
import { type CredentialsPlace, openCredentials } from './open-credentials.js';
import { INSTANCE_PROVIDER } from './provider.token.js';
import { openServer } from './server/server-provider.js';
import { openSandbox } from './sandbox/sandbox-provider.js';

/** Options of the module. */
export interface MysqlOptions {
  readonly clock: Clock;
  /** Where a server's passwords are; the sandbox has everything in the data folder. */
  readonly credentials: CredentialsPlace;
  readonly entropy: Entropy;
  /** `sandbox` runs no server; else the URL of a real server's administrator. */
  readonly provider: 'sandbox' | { readonly serverUrl: string };
}

/** Module `mysql`: database instances and their commands. */
@Module({})
export class MysqlModule implements OnApplicationShutdown {
  constructor(@Inject(INSTANCE_PROVIDER) private readonly provider: InstanceProvider) {}

  static register(options: MysqlOptions): DynamicModule {
    return {
      module: MysqlModule,
      controllers: [MysqlExecutor],
      providers: [{ provide: INSTANCE_PROVIDER, useFactory: () => openProvider(options) }],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.provider.close();
  }
}

async function openProvider(options: MysqlOptions): Promise<InstanceProvider> {
  const { clock, credentials: place, entropy, provider } = options;
  if (provider === 'sandbox') return openSandbox({ clock, dataFolder: place.dataFolder, entropy });
  const credentials = await openCredentials(place, { clock, entropy });
  return openServer({ clock, credentials, url: provider.serverUrl });
}
