import path from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock, Observer } from '#ports';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { Announcer } from './announcer.js';
import { EVENT_TABLE, EventLog } from './event-log.js';
import { EventExecutor } from './event.executor.js';
import { EventsController } from './events.controller.js';
import { ANNOUNCER, EVENT_LOG, MONITOR_FILE, TARGET_LIST } from './monitor.tokens.js';
import { TARGET_TABLE, TargetList } from './target-list.js';
import { TargetExecutor } from './target.executor.js';
import { Webhook, type WebhookTarget } from './webhook.js';

/** What the module needs to know. */
export interface MonitorOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
  /** Where events and alerts are logged. */
  readonly observer: Observer;
  /** Where events and alerts are sent; absent: they are only logged. */
  readonly webhook?: WebhookTarget | undefined;
}

/** Module `monitor`: events, alerts and what Prometheus watches. */
@Module({})
export class MonitorModule implements OnApplicationShutdown {
  constructor(@Inject(MONITOR_FILE) private readonly file: SqliteFile) {}

  static register(options: MonitorOptions): DynamicModule {
    const { clock, dataFolder, observer, webhook } = options;
    const targets = path.join(dataFolder, 'targets', 'backstep.json');
    return {
      module: MonitorModule,
      controllers: [EventExecutor, TargetExecutor, EventsController],
      providers: [
        { provide: MONITOR_FILE, useFactory: () => openFile(options) },
        {
          provide: EVENT_LOG,
          inject: [MONITOR_FILE],
          useFactory: (file: SqliteFile) => new EventLog(file),
        },
        {
          provide: ANNOUNCER,
          inject: [EVENT_LOG],
          useFactory: (log: EventLog) => {
            const sender = webhook === undefined ? null : new Webhook(webhook, clock);
            return new Announcer({ clock, log, observer, webhook: sender });
          },
        },
        {
          provide: TARGET_LIST,
          inject: [MONITOR_FILE],
          useFactory: (file: SqliteFile) => openTargets(file, targets, clock),
        },
      ],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.file.close();
  }
}

function openFile({ clock, dataFolder }: MonitorOptions): Promise<SqliteFile> {
  const migrations = [BARRIER_TABLE, EVENT_TABLE, TARGET_TABLE];
  return openSqlite({ clock, file: path.join(dataFolder, 'monitor.db'), migrations });
}

/** The file is brought up to date: the process before may have stopped in between. */
async function openTargets(file: SqliteFile, target: string, clock: Clock): Promise<TargetList> {
  const list = new TargetList(file, target, clock);
  await list.project();
  return list;
}
