import path from 'node:path';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Clock } from '#ports';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { COMPLETION_TABLE, CompletionLog } from './completion-log.js';
import { CompletionsController } from './completions.controller.js';
import { EffectLog, LAB_TABLES } from './effect-log.js';
import { EffectExecutor } from './effect.executor.js';
import { EffectsController } from './effects.controller.js';
import { COMPLETION_LOG, EFFECT_LOG, LAB_CLOCK, LAB_FILE } from './lab.tokens.js';
import { LaterExecutor } from './later.executor.js';
import { PracticeExecutor } from './practice.executor.js';

const MIGRATIONS = [BARRIER_TABLE, LAB_TABLES, COMPLETION_TABLE];

/** Options of the module. */
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
      controllers: [
        PracticeExecutor,
        EffectExecutor,
        LaterExecutor,
        EffectsController,
        CompletionsController,
      ],
      providers: [
        { provide: LAB_CLOCK, useValue: clock },
        {
          provide: LAB_FILE,
          useFactory: () => openSqlite({ clock, file, migrations: MIGRATIONS }),
        },
        {
          provide: EFFECT_LOG,
          inject: [LAB_FILE],
          useFactory: (opened: SqliteFile) => new EffectLog(opened, clock),
        },
        {
          provide: COMPLETION_LOG,
          inject: [LAB_FILE],
          useFactory: (opened: SqliteFile) => new CompletionLog(opened),
        },
      ],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.file.close();
  }
}
