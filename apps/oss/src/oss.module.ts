import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ArchiveController, BackupController } from './archive/archive.controller.js';
import { PutBack } from './archive/put-back.js';
import { AuditController } from './audit/audit.controller.js';
import { CONSOLE_FILES, ConsoleController } from './console/console.controller.js';
import { CommandsController } from './commands/commands.controller.js';
import { CompletionsController } from './tasks/completions.controller.js';
import { DocsController, IndexController } from './docs/docs.controller.js';
import { PastTasks } from './estimate/past-tasks.js';
import { ChangeFeed } from './events/change-feed.js';
import { ChangeStreams } from './events/change-streams.js';
import { EventsController } from './events/events.controller.js';
import { AttemptsController } from './executors/attempts.controller.js';
import { AttemptSearch } from './executors/running-attempts.js';
import { ExecutorsController } from './executors/executors.controller.js';
import { FlowPlanController } from './flows/flow-plan.controller.js';
import { DefinitionsController } from './flows/definitions.controller.js';
import { FlowStatisticsController } from './statistics/flow-statistics.controller.js';
import { FlowsController } from './flows/flows.controller.js';
import { FAULT_SWITCHES, FaultsController } from './lab/faults.controller.js';
import { LimitsController } from './limits/limits.controller.js';
import { LocksController } from './locks/locks.controller.js';
import { NotificationDesk } from './notifications/notification-desk.js';
import { NotificationsController } from './notifications/notifications.controller.js';
import { OperationActs } from './operations/operation-acts.js';
import { OperationDesk } from './operations/operation-desk.js';
import { OperationRunner } from './operations/operation-runner.js';
import { OperationTasks } from './operations/operation-tasks.js';
import { OperationsController } from './operations/operations.controller.js';
import { TaskConsents } from './operations/task-consents.js';
import { OSS_OPTIONS, type OssOptions } from './options.js';
import { LogsController } from './output/logs.controller.js';
import { OpenStreams } from './events/open-streams.js';
import { OutputStreams } from './output/output-streams.js';
import { ScheduleWhyController } from './schedules/schedule-why.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { TaskActs } from './access/may-act.js';
import { KeyWatch } from './access/key-watch.js';
import { OpenRequests } from './access/open-requests.js';
import { RequestWork } from './access/request-work.js';
import { KeysController } from './keys/keys.controller.js';
import { SessionController } from './session/session.controller.js';
import { SignInController } from './session/sign-in.controller.js';
import { ActOnTask } from './tasks/act-on-task.js';
import { EventStreams } from './tasks/event-streams.js';
import { LiveTaskQuota } from './tasks/live-task-quota.js';
import { PreviewController } from './tasks/preview.controller.js';
import {
  ProvenanceController,
  RollbackPlanController,
  TaskCountsController,
} from './tasks/outlook.controllers.js';
import { TaskActionsController } from './tasks/task-actions.controller.js';
import { TaskBatch } from './tasks/task-batch.js';
import { TaskEventsController } from './tasks/task-events.controller.js';
import { TaskIntake } from './tasks/task-intake.js';
import { TaskSearches } from './tasks/task-searches.js';
import { TaskWaiting } from './tasks/task-waiting.js';
import { TasksController } from './tasks/tasks.controller.js';
import { WholeLists } from './tasks/whole-lists.js';
import { OutcomesController } from './work/outcomes.controller.js';
import { WorkAnswers } from './work/work-answers.js';
import { WorkController } from './work/work.controller.js';
import { WorkersController } from './work/workers.controller.js';
import { TaskExplainer } from './why/task-explainer.js';
import { WhyController } from './why/why.controller.js';

const CONTROLLERS = [
  TasksController,
  TaskCountsController,
  TaskActionsController,
  CompletionsController,
  TaskEventsController,
  LogsController,
  PreviewController,
  RollbackPlanController,
  ProvenanceController,
  WhyController,
  EventsController,
  ExecutorsController,
  AttemptsController,
  WorkController,
  OutcomesController,
  WorkersController,
  LimitsController,
  LocksController,
  OperationsController,
  SchedulesController,
  ScheduleWhyController,
  NotificationsController,
  FlowsController,
  DefinitionsController,
  FlowStatisticsController,
  FlowPlanController,
  CommandsController,
  KeysController,
  SessionController,
  SignInController,
  AuditController,
  ArchiveController,
  BackupController,
  DocsController,
];

/** The gateway: takes requests for tasks, shows tasks and flows, carries out persons' actions. */
@Module({})
export class OssModule {
  static register(options: OssOptions): DynamicModule {
    return {
      module: OssModule,
      controllers: [...CONTROLLERS, ...labOf(options), ...rootOf(options)],
      providers: [
        { provide: OSS_OPTIONS, useValue: options },
        { provide: CONSOLE_FILES, useValue: options.console ?? null },
        { provide: FAULT_SWITCHES, useValue: options.faultSwitches },
        ActOnTask,
        AttemptSearch,
        ChangeFeed,
        ChangeStreams,
        EventStreams,
        KeyWatch,
        LiveTaskQuota,
        NotificationDesk,
        OpenRequests,
        OperationActs,
        OperationDesk,
        OperationRunner,
        OperationTasks,
        OpenStreams,
        OutputStreams,
        PastTasks,
        PutBack,
        RequestWork,
        TaskActs,
        TaskBatch,
        TaskConsents,
        TaskExplainer,
        TaskIntake,
        TaskSearches,
        TaskWaiting,
        WholeLists,
        WorkAnswers,
      ],
    };
  }
}

function labOf({ faultSwitches }: OssOptions): readonly Type[] {
  return faultSwitches === null ? [] : [FaultsController];
}

/** The controller that serves `/`: the console, the index page, or none. */
function rootOf({ console, index }: OssOptions): readonly Type[] {
  if (console !== undefined) return [ConsoleController];
  return index === false ? [] : [IndexController];
}
