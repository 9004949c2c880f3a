import path from 'node:path';
import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import type { Clock, FlowStore } from '#ports';
import { BARRIER_TABLE, openSqlite, type SqliteFile } from '#barrier';
import { COMPLETION_TABLE, CompletionLog } from './completion-log.js';
import { CompletionsController } from './completions.controller.js';
import { EffectLog, LAB_TABLES } from './effect-log.js';
import { EffectExecutor } from './effect.executor.js';
import { EffectsController } from './effects.controller.js';
import type { FaultSwitches } from './fault-switches.js';
import { FaultsController } from './faults.controller.js';
import {
  COMPLETION_LOG,
  EFFECT_LOG,
  FAULT_SWITCHES,
  LAB_CLOCK,
  LAB_FILE,
  LAB_FLOWS,
} from './lab.tokens.js';
import { LaterExecutor } from './later.executor.js';
import { PracticeExecutor } from './practice.executor.js';

const MIGRATIONS = [BARRIER_TABLE, LAB_TABLES, COMPLETION_TABLE];

/** Options of the module. */
export interface LabOptions {
  readonly clock: Clock;
  readonly dataFolder: string;
  /** The switches that make steps go wrong. Absent: they have no HTTP routes. */
  readonly faults?: LabFaults | undefined;
}

/** The switches, and the flows whose steps they are for. */
export interface LabFaults {
  readonly switches: FaultSwitches;
  readonly flows: Pick<FlowStore, 'getFlow'>;
}

/** Module `lab`: practising a flow before its commands exist. */
@Module({})
export class LabModule implements OnApplicationShutdown {
  constructor(@Inject(LAB_FILE) private readonly file: SqliteFile) {}

  static register({ clock, dataFolder, faults }: LabOptions): DynamicModule {
    const file = path.join(dataFolder, 'lab.db');
    return {
      module: LabModule,
      controllers: [
        PracticeExecutor,
        EffectExecutor,
        LaterExecutor,
        EffectsController,
        CompletionsController,
        ...(faults === undefined ? [] : [FaultsController]),
      ],
      providers: [
        ...faultProviders(faults),
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

function faultProviders(faults: LabFaults | undefined): readonly Provider[] {
  if (faults === undefined) return [];
  return [
    { provide: FAULT_SWITCHES, useValue: faults.switches },
    { provide: LAB_FLOWS, useValue: faults.flows },
  ];
}
