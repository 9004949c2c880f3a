import type { RecordKind } from '../record-kind.js';
import { COMMAND } from './command.js';
import { DELIVERY } from './delivery.js';
import { DRILL } from './drill.js';
import { FAULT } from './fault.js';
import { FLOW_SOURCE } from './flow-source.js';
import { KEY } from './key.js';
import { ADMISSION, MODULE_LIMIT, WAITING_ACTION } from './module-limit.js';
import { NOTIFICATION, NOTIFICATION_POSITION } from './notification.js';
import { OPERATION } from './operation.js';
import { OUTPUT, PROGRESS } from './output.js';
import { QUEUED_ACTION } from './queued-action.js';
import { SCHEDULE } from './schedule.js';
import { SECRET } from './secret.js';
import { SERVED } from './served.js';
import { STATISTICS } from './statistics.js';
import { WORKER_DRAIN } from './worker-drain.js';

/** All kinds of records. Stores make their indexes before they are used. */
export const RECORD_KINDS: readonly RecordKind[] = [
  ADMISSION,
  COMMAND,
  DELIVERY,
  DRILL,
  FAULT,
  FLOW_SOURCE,
  KEY,
  MODULE_LIMIT,
  NOTIFICATION,
  NOTIFICATION_POSITION,
  OPERATION,
  OUTPUT,
  PROGRESS,
  QUEUED_ACTION,
  SCHEDULE,
  SECRET,
  SERVED,
  STATISTICS,
  WAITING_ACTION,
  WORKER_DRAIN,
];
