import {
  COUNT,
  DATE,
  DocumentFault,
  FLAG,
  MOMENT,
  NUMBERED,
  OBJECT,
  orAbsent,
  orNull,
  type Rule,
  type Shape,
  TEXT,
  TEXT_LIST,
  withMembers,
} from '#core/json';
import type { AuditAnchor, AuditEntry } from './audit-log.js';
import type { ExecutorRecord } from './executor-registry.js';
import type { LockEntry } from './lock-store.js';
import { recordCheck } from './record-kind.js';
import type { SessionOrigin, SessionRecord } from './session-store.js';

/** Checks the record of an executor, as it was announced. Throws `DocumentFault`. */
export const checkExecutor = recordCheck<ExecutorRecord>({
  instance: TEXT,
  module: TEXT,
  version: TEXT,
  build: orAbsent(TEXT),
  host: TEXT,
  pid: COUNT,
  commands: TEXT_LIST,
  parameters: orAbsent(OBJECT),
  outputs: orAbsent(OBJECT),
  secrets: orAbsent(OBJECT),
  since: DATE,
  busy: COUNT,
  slots: COUNT,
  seenAt: DATE,
  worker: orAbsent(FLAG),
  sdk: orAbsent(TEXT),
  keyMark: orAbsent(TEXT),
  draining: orAbsent(FLAG),
  stopped: orAbsent(FLAG),
});

const UP_TO_SAFE: Rule = {
  holds: (value) => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  means: 'a number from 0 on',
};

/** A session, if it can be one. Throws `DocumentFault`. */
export const checkSession = recordCheck<Omit<SessionRecord, keyof SessionOrigin>>({
  session: TEXT,
  beat: UP_TO_SAFE,
  leaseMs: UP_TO_SAFE,
  isOver: FLAG,
});

/** One of the line of a lock, if it can be one. Throws `DocumentFault`. */
export const checkLockEntry = recordCheck<LockEntry>({
  taskId: TEXT,
  number: COUNT,
  slots: NUMBERED,
  since: MOMENT,
});

const AUDIT_ANCHOR: Shape<AuditAnchor> = {
  seq: NUMBERED,
  hash: TEXT,
  unsigned: orAbsent(NUMBERED),
  kept: orAbsent(NUMBERED),
  signature: orAbsent(TEXT),
};

const AUDIT_ENTRY: Shape<AuditEntry> = {
  seq: NUMBERED,
  at: DATE,
  actor: TEXT,
  keyId: orNull(TEXT),
  operation: TEXT,
  target: TEXT,
  status: COUNT,
  reason: orNull(TEXT),
  requestId: TEXT,
  anchor: orAbsent(withMembers<AuditAnchor>(AUDIT_ANCHOR, 'the anchor of a log')),
  prev: TEXT,
  prevSeq: orAbsent(COUNT),
  hash: TEXT,
};

const auditEntryIn = recordCheck<AuditEntry>(AUDIT_ENTRY);

/**
 * An entry of the audit log, if it can be one. Throws `DocumentFault`, also for further members:
 * the hash of an entry is not over them.
 */
export function checkAuditEntry(value: unknown): AuditEntry {
  const entry = auditEntryIn(value);
  expectNoFurther(entry, AUDIT_ENTRY);
  if (entry.anchor !== undefined) expectNoFurther(entry.anchor, AUDIT_ANCHOR);
  return entry;
}

function expectNoFurther(found: object, shape: object): void {
  const isKnown = (member: string): boolean => Object.hasOwn(shape, member);
  if (!Object.keys(found).every(isKnown)) throw new DocumentFault('it has a member of its own');
}
