import type { Routes } from '../requests/route.js';
import { ACTION_ROUTES, ENDED_ROUTES } from '../tasks/actions.routes.js';
import { ARCHIVE_ROUTES } from '../archive/archive.routes.js';
import { AUDIT_ROUTES } from '../audit/audit.routes.js';
import { COMMAND_ROUTES } from '../commands/commands.routes.js';
import { COMPLETION_ROUTES } from '../tasks/completions.routes.js';
import { DOCUMENT_ROUTES } from './docs.routes.js';
import { EXECUTOR_ROUTES } from '../executors/executors.routes.js';
import { FLOW_ROUTES } from '../flows/flows.routes.js';
import { KEY_ROUTES } from '../keys/keys.routes.js';
import { LIMIT_ROUTES } from '../limits/limits.routes.js';
import { LOCK_ROUTES } from '../locks/locks.routes.js';
import { LOG_ROUTES } from '../output/logs.routes.js';
import { NOTIFICATION_ROUTES } from '../notifications/notifications.routes.js';
import { OPERATION_ROUTES } from '../operations/operations.routes.js';
import { OUTLOOK_ROUTES } from '../tasks/outlook.routes.js';
import { SCHEDULE_ROUTES } from '../schedules/schedules.routes.js';
import { SESSION_ROUTES } from '../session/session.routes.js';
import { TASK_ROUTES } from '../tasks/tasks.routes.js';
import { WORK_ROUTES } from '../work/work.routes.js';

/** Every route that the gateway serves, in the order of the document. */
export const ROUTES: Routes = {
  ...TASK_ROUTES,
  ...LOG_ROUTES,
  ...ACTION_ROUTES,
  ...ENDED_ROUTES,
  ...COMPLETION_ROUTES,
  ...OUTLOOK_ROUTES,
  ...EXECUTOR_ROUTES,
  ...WORK_ROUTES,
  ...LIMIT_ROUTES,
  ...LOCK_ROUTES,
  ...OPERATION_ROUTES,
  ...FLOW_ROUTES,
  ...SCHEDULE_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...COMMAND_ROUTES,
  ...KEY_ROUTES,
  ...SESSION_ROUTES,
  ...AUDIT_ROUTES,
  ...ARCHIVE_ROUTES,
  ...DOCUMENT_ROUTES,
};
