import type { StepRuns, Task } from '#core';
import { toDate, toDateOrNull, toSafeOrNull } from './bson-values.js';
import {
  doneToDocument,
  entryToDocument,
  runsToDocument,
  runToDocument,
  runToDocumentOrNull,
} from './task-document.js';
import { WRITERS_KEPT } from './writers.js';

type Values = Record<string, unknown>;

/** An update of one document, as the server takes it. */
export interface CommitUpdate {
  readonly $set: Values;
  readonly $unset?: Values;
  readonly $push: Values;
}

type Member = Exclude<keyof Task, 'plan' | 'revision' | 'wakeAt' | 'runs' | 'journal'>;
type Encoders = { readonly [M in Member]: (value: Task[M]) => unknown };

/** Every member that is stored under its own name and written whole when it changed. */
const ENCODERS: Encoders = {
  alert: runToDocumentOrNull,
  alertStep: (value) => value,
  cursor: (value) => value,
  doneActions: doneToDocument,
  endedAt: toDateOrNull,
  journalSeq: (value) => value,
  message: toSafeOrNull,
  startedAt: toDateOrNull,
  status: (value) => value,
  token: (value) => value,
};

const MEMBERS = Object.keys(ENCODERS) as readonly Member[];

/**
 * The update that makes `next` of a stored `previous`: only what differs, which is what is not the
 * same object in both. The mark says later whose write this was.
 */
export function commitUpdate(previous: Task, next: Task, mark: string): CommitUpdate {
  const $set: Values = { revision: next.revision };
  for (const member of MEMBERS) {
    if (previous[member] !== next[member]) $set[member] = encode(member, next);
  }
  setRuns($set, previous.runs, next.runs);
  const writer = { revision: next.revision, mark };
  const $push: Values = { writers: { $each: [writer], $slice: -WRITERS_KEPT } };
  addJournal({ $set, $push }, previous, next);
  if (previous.wakeAt !== next.wakeAt) {
    if (next.wakeAt === null) return { $set, $unset: { wakeAt: '' }, $push };
    $set['wakeAt'] = toDate(next.wakeAt);
  }
  return { $set, $push };
}

// The member ties the encoder to its value, which the checker sees and the linter does not.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function encode<M extends Member>(member: M, task: Task): unknown {
  return ENCODERS[member](task[member]);
}

function setRuns($set: Values, previous: readonly StepRuns[], next: readonly StepRuns[]): void {
  if (previous === next) return;
  if (previous.length !== next.length) {
    $set['runs'] = next.map(runsToDocument);
    return;
  }
  for (const [position, runs] of next.entries()) {
    const before = previous[position];
    if (before === undefined || before === runs) continue;
    if (before.normal !== runs.normal) {
      $set[`runs.${position}.normal`] = runToDocument(runs.normal);
    }
    if (before.rollback !== runs.rollback) {
      $set[`runs.${position}.rollback`] = runToDocumentOrNull(runs.rollback);
    }
  }
}

/**
 * Entries are only ever added at the end and dropped at the start, so the new ones are pushed and
 * the length is kept; anything else is written whole.
 */
function addJournal(update: CommitUpdate, previous: Task, next: Task): void {
  const before = previous.journal;
  const after = next.journal;
  if (before === after) return;
  const added = after.filter(({ seq }) => seq > previous.journalSeq);
  const kept = after.length - added.length;
  const isTail = kept === 0 || before[before.length - kept] === after[0];
  if (added.length > 0 && isTail) {
    const $each = added.map(entryToDocument);
    update.$push['journal'] = { $each, $slice: -after.length };
    return;
  }
  update.$set['journal'] = after.map(entryToDocument);
}
