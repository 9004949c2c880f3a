import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock, Entropy } from '#ports';
import type { InstanceProvider } from './instance.js';
import { MysqlExecutor } from './mysql.executor.js';
import { INSTANCE_PROVIDER } from './provider.token.js';
import { openServer } from './server/server-provider.js';
import { openSandbox } from './sandbox/sandbox-provider.js';

/** What the module needs to know. */
export interface MysqlOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
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

function openProvider({ provider, ...options }: MysqlOptions): Promise<InstanceProvider> {
  if (provider !== 'sandbox') return openServer({ ...options, url: provider.serverUrl });
  return openSandbox(options);
}
