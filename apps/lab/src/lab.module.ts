import path from 'node:path';
import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  Module,
  type OnApplicationShutdown,
  Query,
} from '@nestjs/common';
import type { Clock } from '#ports';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { QueryReader } from '#http-server';
import { COMPLETION_TABLE, CompletionLog, type ExpectedCompletion } from './completion-log.js';
import { type CountedEffect, EffectLog, LAB_TABLES } from './effect-log.js';
import { EffectExecutor } from './effect.executor.js';
import { COMPLETION_LOG, EFFECT_LOG, LAB_CLOCK, LAB_FILE } from './lab.tokens.js';
import { LaterExecutor } from './later.executor.js';
import { PracticeExecutor } from './practice.executor.js';

/** Effects of the practice commands, with how often each really happened. */
@Controller('modules/lab')
export class EffectsController {
  constructor(@Inject(EFFECT_LOG) private readonly log: EffectLog) {}

  @Get('effects')
  effects(@Query() query: unknown): { items: readonly CountedEffect[] } {
    return { items: this.log.list(...wantedIn(query)) };
  }
}

const LIMIT = 1_000;

/** As SQLite has it; the runs of a task are bounded. */
const NO_LIMIT = -1;

/** Everything of the task that a page is about; else the newest of all. Throws a `Problem`. */
function wantedIn(query: unknown): readonly [limit: number, taskId?: string] {
  const reader = new QueryReader(query).expectOnly(['taskId']);
  const taskId = reader.text('taskId');
  reader.finish();
  return taskId === undefined ? [LIMIT] : [NO_LIMIT, taskId];
}

/** Tokens that the command `later` was given, for callers that play the outside system. */
@Controller('modules/lab')
export class CompletionsController {
  constructor(@Inject(COMPLETION_LOG) private readonly log: CompletionLog) {}

  @Get('completions')
  completions(@Query() query: unknown): { items: readonly ExpectedCompletion[] } {
    return { items: this.log.list(...wantedIn(query)) };
  }
}

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
