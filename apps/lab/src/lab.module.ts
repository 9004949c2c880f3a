import path from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '#ports';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { EffectLog, LAB_TABLES } from './effect-log.js';
import { EffectExecutor } from './effect.executor.js';
import { EffectsController } from './effects.controller.js';
import { EFFECT_LOG, LAB_CLOCK, LAB_FILE } from './lab.tokens.js';
import { PracticeExecutor } from './practice.executor.js';

/** What the module needs to know. */
export interface LabOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
}

/** Module `lab`: practising a flow before its commands exist. */
@Module({})
export class LabModule implements OnApplicationShutdown {
  constructor(@Inject(LAB_FILE) private readonly file: SqliteFile) {}

  static register({ clock, dataFolder }: LabOptions): DynamicModule {
    const file = path.join(dataFolder, 'lab.db');
    return {
      module: LabModule,
      controllers: [PracticeExecutor, EffectExecutor, EffectsController],
      providers: [
        { provide: LAB_CLOCK, useValue: clock },
        {
          provide: LAB_FILE,
          useFactory: () => openSqlite({ clock, file, migrations: [BARRIER_TABLE, LAB_TABLES] }),
        },
        {
          provide: EFFECT_LOG,
          inject: [LAB_FILE],
          useFactory: (opened: SqliteFile) => new EffectLog(opened, clock),
        },
      ],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.file.close();
  }
}
