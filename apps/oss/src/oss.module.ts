import { type DynamicModule, Module } from '@nestjs/common';
import { DocsController } from './docs/docs.controller.js';
import { IndexController } from './docs/index.controller.js';
import { FlowsController } from './flows/flows.controller.js';
import { OSS_OPTIONS, type OssOptions } from './options.js';
import { EventStreams } from './tasks/event-streams.js';
import { LiveTaskQuota } from './tasks/live-task-quota.js';
import { TaskActionsController } from './tasks/task-actions.controller.js';
import { TaskBatch } from './tasks/task-batch.js';
import { TaskEventsController } from './tasks/task-events.controller.js';
import { TaskIntake } from './tasks/task-intake.js';
import { TaskWaiting } from './tasks/task-waiting.js';
import { TasksController } from './tasks/tasks.controller.js';
import { WholeLists } from './tasks/whole-lists.js';

const CONTROLLERS = [
  TasksController,
  TaskActionsController,
  TaskEventsController,
  FlowsController,
  DocsController,
];

/** The gateway: takes requests for tasks, shows tasks and flows, carries out persons' actions. */
@Module({})
export class OssModule {
  static register(options: OssOptions): DynamicModule {
    return {
      module: OssModule,
      controllers: options.index === false ? CONTROLLERS : [...CONTROLLERS, IndexController],
      providers: [
        { provide: OSS_OPTIONS, useValue: options },
        EventStreams,
        LiveTaskQuota,
        TaskBatch,
        TaskIntake,
        TaskWaiting,
        WholeLists,
      ],
    };
  }
}
