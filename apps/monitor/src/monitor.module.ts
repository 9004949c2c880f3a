import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Query,
} from '@nestjs/common';
import type { Loop } from '#engine';
import { expectNoParameters, QueryReader } from '#http-server';
import { Announcer } from './announcer.js';
import { type EventLog, eventRetention, type StoredEvent } from './event-log.js';
import { EventExecutor } from './event.executor.js';
import { type MonitorStore, type MonitorStoreOptions, openMonitorStore } from './monitor-store.js';
import {
  ANNOUNCER,
  EVENT_LOG,
  EVENT_RETENTION,
  MONITOR_STORE,
  TARGET_LIST,
} from './monitor.tokens.js';
import { TargetExecutor } from './target.executor.js';
import { Webhook, type WebhookTarget } from './webhook.js';
import { groupsOf, type TargetGroup, type TargetList } from './target-list.js';

/** The targets of Prometheus, as its HTTP service discovery (`http_sd_configs`) reads them. */
@Controller('modules/monitor')
export class TargetsController {
  constructor(@Inject(TARGET_LIST) private readonly targets: TargetList) {}

  /** A list without an object around it: Prometheus reads no other form. */
  @Get('targets')
  async list(@Query() query: unknown): Promise<readonly TargetGroup[]> {
    expectNoParameters(query);
    return groupsOf(await this.targets.list());
  }
}

const EVENTS_DEFAULT = 50;
const EVENTS_MAX = 200;

/** Lists the events that tasks have reported, newest first. */
@Controller('modules/monitor')
export class EventsController {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  @Get('events')
  async events(@Query() query: unknown): Promise<{ items: readonly StoredEvent[] }> {
    const reader = new QueryReader(query).expectOnly(['taskId', 'limit']);
    const taskId = reader.text('taskId');
    const limit = reader.value('limit', readLimit, `a whole number from 1 to ${EVENTS_MAX}`);
    reader.finish();
    return { items: await this.log.list(limit ?? EVENTS_DEFAULT, taskId) };
  }
}

function readLimit(text: string): number | null {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= EVENTS_MAX ? limit : null;
}

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
