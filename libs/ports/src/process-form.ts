import {
  COUNT,
  DATE,
  FINITE,
  MOMENT,
  NUMBERED,
  OBJECT,
  oneOf,
  orAbsent,
  orNull,
  TEXT,
  TEXT_LIST,
} from '#core';
import type { AuditEntry } from './audit-log.js';
import type { CommandRecord } from './definition-store.js';
import type { ExecutorRecord } from './executor-registry.js';
import type { FaultSwitch } from './fault-store.js';
import type { LockEntry } from './lock-store.js';
import { recordCheck } from './record-form.js';

/** Defaults of a command, if they can be. Throws `DocumentFault`. */
export const checkCommand = recordCheck<CommandRecord>({
  module: TEXT,
  command: TEXT,
  updatedAt: DATE,
  defaults: OBJECT,
});

/** What an executor announced, if it can be that. Throws `DocumentFault`. */
export const checkExecutor = recordCheck<ExecutorRecord>({
  instance: TEXT,
  module: TEXT,
  version: TEXT,
  host: TEXT,
  pid: COUNT,
  commands: TEXT_LIST,
  parameters: orAbsent(OBJECT),
  secrets: orAbsent(OBJECT),
  since: DATE,
  busy: COUNT,
  slots: COUNT,
  seenAt: DATE,
});

/** A switch, if it can be one. Throws `DocumentFault`. */
export const checkFault = recordCheck<FaultSwitch>({
  flow: TEXT,
  step: TEXT,
  kind: oneOf(['fail_once', 'fail_always', 'slow', 'crash'], 'a kind of fault'),
  delayMs: FINITE,
});

/** One of the line of a lock, if it can be one. Throws `DocumentFault`. */
export const checkLockEntry = recordCheck<LockEntry>({
  taskId: TEXT,
  number: COUNT,
  slots: NUMBERED,
  since: MOMENT,
});

/** An entry of the audit log, if it can be one. Throws `DocumentFault`. */
export const checkAuditEntry = recordCheck<AuditEntry>({
  seq: NUMBERED,
  at: DATE,
  actor: TEXT,
  keyId: orNull(TEXT),
  operation: TEXT,
  target: TEXT,
  status: COUNT,
  reason: orNull(TEXT),
  requestId: TEXT,
  prev: TEXT,
  hash: TEXT,
});
