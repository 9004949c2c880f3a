import type { Task } from '#core';
import { type AuditEntry, ExecutorTable, type LockEntry, type SessionRecord } from '#ports';
import type { ChangeNumbers } from './memory-changes.js';
import type { RecordContents } from './memory-records.js';
import type { MemoryDefinitionContents } from './memory-definitions.js';

/** The contents of a memory store; handed from one store to the next they outlive a "restart". */
export interface MemoryStoreContents extends MemoryDefinitionContents {
  readonly tasks: Map<string, Task>;
  readonly keys: Map<string, string>;
  readonly executors: ExecutorTable;
  readonly sessions: Map<string, SessionRecord>;
  readonly audit: AuditEntry[];
  readonly lines: Map<string, readonly LockEntry[]>;
  readonly changes: ChangeNumbers;
  readonly records: RecordContents;
}

/** The contents of an empty store. */
export function emptyContents(): MemoryStoreContents {
  return {
    tasks: new Map(),
    keys: new Map(),
    flows: new Map(),
    standings: new Map(),
    executors: new ExecutorTable(),
    sessions: new Map(),
    audit: [],
    lines: new Map(),
    changes: { newest: 0, marks: new Map() },
    records: new Map(),
  };
}
