import type { Task } from '#core';
import {
  type AuditEntry,
  type DrillRecord,
  ExecutorTable,
  type KeyRecord,
  type LockEntry,
  type OperationRecord,
  type ScheduleRecord,
  type SessionRecord,
  type StatisticsRow,
} from '#ports';
import type { ChangeNumbers } from './memory-changes.js';
import type { NotificationContents } from './memory-notifications.js';
import type { MemoryDefinitionContents } from './memory-definitions.js';

/** The contents of a memory store; handed from one store to the next they outlive a "restart". */
export interface MemoryStoreContents extends MemoryDefinitionContents {
  readonly tasks: Map<string, Task>;
  readonly keys: Map<string, string>;
  readonly executors: ExecutorTable;
  readonly sessions: Map<string, SessionRecord>;
  readonly accessKeys: Map<string, KeyRecord>;
  readonly secrets: Map<string, string>;
  readonly audit: AuditEntry[];
  /** By flow and version. */
  readonly drills: Map<string, DrillRecord>;
  readonly statistics: Map<string, StatisticsRow>;
  readonly lines: Map<string, readonly LockEntry[]>;
  readonly operations: Map<string, OperationRecord>;
  readonly schedules: Map<string, ScheduleRecord>;
  readonly changes: ChangeNumbers;
  readonly notifications: NotificationContents;
}

/** The contents of an empty store. */
export function emptyContents(): MemoryStoreContents {
  return {
    tasks: new Map(),
    keys: new Map(),
    flows: new Map(),
    standings: new Map(),
    commands: new Map(),
    executors: new ExecutorTable(),
    sessions: new Map(),
    accessKeys: new Map(),
    secrets: new Map(),
    audit: [],
    drills: new Map(),
    statistics: new Map(),
    lines: new Map(),
    operations: new Map(),
    schedules: new Map(),
    changes: { newest: 0, marks: new Map() },
    notifications: { rules: new Map(), deliveries: new Map(), position: 0 },
  };
}
