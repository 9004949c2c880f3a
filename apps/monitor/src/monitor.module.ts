import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { Loop } from '#engine';
import { Announcer } from './announcer.js';
import { eventRetention } from './event-retention.js';
import { EventExecutor } from './event.executor.js';
import { EventsController } from './events.controller.js';
import { type MonitorStore, type MonitorStoreOptions, openMonitorStore } from './monitor-store.js';
import {
  ANNOUNCER,
  EVENT_LOG,
  EVENT_RETENTION,
  MONITOR_STORE,
  TARGET_LIST,
} from './monitor.tokens.js';
import { TargetExecutor } from './target.executor.js';
import { TargetsController } from './targets.controller.js';
import { Webhook, type WebhookTarget } from './webhook.js';

/** Options of the module. Events and alerts are logged by `observer`. */
export interface MonitorOptions extends MonitorStoreOptions {
  /** Where events and alerts are sent; absent: they are only logged. */
  readonly webhook?: WebhookTarget | undefined;
  /** Origin of the gateway as people reach it, for links. Null, the default: none is known. */
  readonly publicUrl?: string | null;
  /** How long events and alerts are kept, in milliseconds; null: for ever. */
  readonly eventsKeptMs: number | null;
}

/** Module `monitor`: events, alerts and what Prometheus watches. */
@Module({})
export class MonitorModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(MONITOR_STORE) private readonly store: MonitorStore,
    @Inject(EVENT_RETENTION) private readonly retention: Loop | null,
  ) {}

  static register(options: MonitorOptions): DynamicModule {
    return {
      module: MonitorModule,
      controllers: [EventExecutor, TargetExecutor, EventsController, TargetsController],
      providers: [
        { provide: MONITOR_STORE, useFactory: () => openMonitorStore(options) },
        {
          provide: EVENT_LOG,
          inject: [MONITOR_STORE],
          useFactory: ({ events }: MonitorStore) => events,
        },
        {
          provide: EVENT_RETENTION,
          inject: [MONITOR_STORE],
          useFactory: ({ events }: MonitorStore) => {
            const { clock, eventsKeptMs: keptMs, observer } = options;
            return keptMs === null ? null : eventRetention({ clock, events, keptMs, observer });
          },
        },
        {
          provide: TARGET_LIST,
          inject: [MONITOR_STORE],
          useFactory: ({ targets }: MonitorStore) => targets,
        },
        {
          provide: ANNOUNCER,
          inject: [MONITOR_STORE],
          useFactory: ({ events }: MonitorStore) => {
            const { clock, observer, publicUrl, webhook: to } = options;
            const webhook = to === undefined ? null : new Webhook(to, clock);
            return new Announcer({ clock, log: events, observer, publicUrl, webhook });
          },
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.retention?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.retention?.stop();
    await this.store.close();
  }
}
