import {
  awaitedText,
  changedSteps,
  isNotableChange,
  ownersOf,
  type StepRuns,
  type Task,
  waitText,
} from '#core';
import { toDate, toDateOrNull, toSafeOrNull } from './bson-values.js';
import {
  doneToDocument,
  editsToDocument,
  entryToText,
  failureToDocument,
  holdToDocument,
  pauseToDocument,
  scopeToDocument,
  signalsToDocument,
  turnToDocument,
} from './fact-document.js';
import { runsToDocument, runToText, runToTextOrNull } from './run-document.js';
import { WRITERS_KEPT, writerToText } from './writers.js';

type Values = Record<string, unknown>;

/** An update of one document, as the server takes it. */
export interface CommitUpdate {
  readonly $set: Values;
  readonly $unset?: Values;
  readonly $push: Values;
  readonly $currentDate?: Values;
}

type Member = Exclude<
  keyof Task,
  'plan' | 'revision' | 'wakeAt' | 'runs' | 'scopes' | 'journal' | 'index'
>;
type Encoders = { readonly [M in Member]: (value: Task[M]) => unknown };

/** Every member that is stored under its own name and written whole when it changed. */
const ENCODERS: Encoders = {
  alert: (value) => value,
  cursor: (value) => value,
  doneActions: doneToDocument,
  edits: editsToDocument,
  endedAt: toDateOrNull,
  failureTask: failureToDocument,
  hasSecrets: (value) => value,
  hold: holdToDocument,
  locks: (value) => JSON.stringify(value),
  paused: pauseToDocument,
  journalSeq: (value) => value,
  message: toSafeOrNull,
  outcome: (value) => value,
  resetAt: toDateOrNull,
  signals: signalsToDocument,
  startedAt: toDateOrNull,
  status: (value) => value,
  token: (value) => value,
  turned: turnToDocument,
  way: (value) => value,
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
  setRuns($set, previous, next);
  setScopes($set, previous, next);
  const writer = writerToText({ revision: next.revision, mark });
  const $push: Values = { writers: { $each: [writer], $slice: -WRITERS_KEPT } };
  addJournal({ $set, $push }, previous, next);
  const $unset: Values = {};
  if (previous.wakeAt !== next.wakeAt) {
    if (next.wakeAt === null) $unset['wakeAt'] = '';
    else $set['wakeAt'] = toDate(next.wakeAt);
  }
  setOwners({ $set, $unset }, previous, next);
  const isNotable = isNotableChange(previous, next);
  setText({ $set, $unset }, 'awaits', [awaitedText(previous), awaitedText(next)]);
  if (isNotable) setText({ $set, $unset }, 'waits', [waitText(previous), waitText(next)]);
  const update = isNotable ? { $set, $push, $currentDate } : { $set, $push };
  for (const _ in $unset) return { ...update, $unset };
  return update;
}

/** The server says when: one clock for all processes, read as the write is done. */
const $currentDate = { changedAt: true };

function setText(
  { $set, $unset }: { readonly $set: Values; readonly $unset: Values },
  member: 'waits' | 'awaits',
  [before, after]: readonly [before: string | null, after: string | null],
): void {
  if (after !== null && after !== before) $set[member] = after;
  if (after === null && before !== null) $unset[member] = '';
}

/** A chain whose steps run in one process keeps its owner from step to step. */
function setOwners(
  { $set, $unset }: { readonly $set: Values; readonly $unset: Values },
  previous: Task,
  next: Task,
): void {
  if (previous.runs === next.runs) return;
  const before = ownersOf(previous);
  const after = ownersOf(next);
  if (before.length === after.length && before.every((owner, at) => owner === after[at])) return;
  if (after.length === 0) $unset['owners'] = '';
  else $set['owners'] = after;
}

// The member ties the encoder to its value, which the checker sees and the linter does not.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function encode<M extends Member>(member: M, task: Task): unknown {
  return ENCODERS[member](task[member]);
}

function setRuns($set: Values, previous: Task, next: Task): void {
  if (previous.runs === next.runs) return;
  for (const step of changedSteps(previous, next)) {
    const before = previous.runs[step];
    const after = next.runs[step] as StepRuns;
    if (before === undefined) {
      // An element after the last one is added at the end.
      $set[`runs.${step}`] = runsToDocument(after);
      continue;
    }
    const { generation, normal, rollback } = after;
    if (before.generation !== generation) $set[`runs.${step}.generation`] = generation;
    if (before.normal !== normal) $set[`runs.${step}.normal`] = runToText(normal);
    if (before.rollback !== rollback) {
      $set[`runs.${step}.rollback`] = runToTextOrNull(rollback);
    }
  }
}

/** Scopes are only ever added at the end, or become others where they are. */
function setScopes($set: Values, previous: Task, next: Task): void {
  if (previous.scopes === next.scopes) return;
  // There is no list of them in a document without any.
  if (previous.scopes.length === 0) {
    $set['scopes'] = next.scopes.map(scopeToDocument);
    return;
  }
  for (const [n, scope] of next.scopes.entries()) {
    if (scope !== previous.scopes[n]) $set[`scopes.${n}`] = scopeToDocument(scope);
  }
}

/**
 * Entries are only ever added at the end and dropped at the start, so the new ones are pushed and
 * the length is kept; anything else is written whole.
 */
function addJournal(update: CommitUpdate, previous: Task, next: Task): void {
  const { journal } = next;
  if (journal === previous.journal) return;
  const added = journal.after(previous.journalSeq);
  const kept = journal.length - added.length;
  const isTail = kept === 0 || previous.journal.at(-kept) === journal.at(0);
  if (added.length > 0 && isTail) {
    const $each = added.map(entryToText);
    update.$push['journal'] = { $each, $slice: -journal.length };
    return;
  }
  update.$set['journal'] = journal.entries().map(entryToText);
}
