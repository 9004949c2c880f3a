import type { Routes } from '../requests/route.js';
import { ACTION_ROUTES, ENDED_ROUTES } from '../tasks/actions.routes.js';
import { ARCHIVE_ROUTES } from '../archive/archive.routes.js';
import { AUDIT_ROUTES } from '../audit/audit.routes.js';
import { COMMAND_ROUTES } from '../commands/commands.routes.js';
import { COMPLETION_ROUTES } from '../tasks/completions.routes.js';
import { DOCUMENT_ROUTES, PROBE_ROUTES } from './docs.routes.js';
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

/** The groups of requests, with their descriptions. */
export const TAGS = {
  tasks: 'Runs of flows: to start, list, read and act on them, and to report what they wait for.',
  flows: 'Recipes of tasks in versions, and the defaults of commands that they inherit.',
  work: 'What workers in any language ask for: actions of their modules, and what became of these.',
  schedules: 'Tasks that start by the clock.',
  notifications: 'Rules by which people are told of events, and the messages that were sent.',
  access: 'API keys, sessions of people, and the log of who did what.',
  operations: 'Actions on many tasks at once, executors, locks, the archive, health and metrics.',
  documents: 'The documentation of this server, for programs and for people.',
} as const;

/** A table of routes, and the group that they stand in. */
export type Table = readonly [tag: keyof typeof TAGS, routes: Routes];

/** Every route that the gateway serves, in the order of the document. */
export const TABLES: readonly Table[] = [
  ['tasks', TASK_ROUTES],
  ['tasks', LOG_ROUTES],
  ['tasks', ACTION_ROUTES],
  ['tasks', ENDED_ROUTES],
  ['tasks', COMPLETION_ROUTES],
  ['tasks', OUTLOOK_ROUTES],
  ['operations', EXECUTOR_ROUTES],
  ['work', WORK_ROUTES],
  ['operations', LIMIT_ROUTES],
  ['operations', LOCK_ROUTES],
  ['operations', OPERATION_ROUTES],
  ['flows', FLOW_ROUTES],
  ['schedules', SCHEDULE_ROUTES],
  ['notifications', NOTIFICATION_ROUTES],
  ['flows', COMMAND_ROUTES],
  ['access', KEY_ROUTES],
  ['access', SESSION_ROUTES],
  ['access', AUDIT_ROUTES],
  ['operations', ARCHIVE_ROUTES],
  ['operations', PROBE_ROUTES],
  ['documents', DOCUMENT_ROUTES],
];

/** The same, by their names. */
export const ROUTES: Routes = Object.assign({}, ...TABLES.map(([, routes]) => routes));
