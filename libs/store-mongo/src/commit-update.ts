import type { Task } from '#core';
import { ownersOf } from '#core/read';
import { changedSteps, openActions } from '#core/scopes';
import {
  awaitedText,
  codecOf,
  ENTRY,
  hasSameTerms,
  isNotableChange,
  SCOPE,
  searchTermsOf,
  TASK_FORM,
  waitText,
} from '#core/stored';
import { MEMBERS, rollbackToDocument, stepToDocument, waitsToDocument } from './task-document.js';
import { DOCUMENTS, roomIn } from './task-medium.js';
import { WRITERS_KEPT, writerToText } from './writers.js';

type Values = Record<string, unknown>;

/** An update of one document, as the server takes it. */
export interface CommitUpdate {
  readonly $set: Values;
  readonly $unset?: Values;
  readonly $push: Values;
  readonly $currentDate?: Values;
}

type Parts = Required<Pick<CommitUpdate, '$set' | '$unset'>>;

/** Members that are written in parts, or by others. */
const OTHERS = ['plan', 'revision', 'runs', 'scopes', 'journal', 'index'];

/** Every member that is written whole when it changed. */
const WHOLE = TASK_FORM.members
  .map(({ name }) => name as keyof Task)
  .filter((name) => !OTHERS.includes(name));

const ENTRIES = codecOf(ENTRY, DOCUMENTS);
const SCOPES = codecOf(SCOPE, DOCUMENTS);

/**
 * The update that makes `next` of a stored `previous`: only what differs, which is what is not the
 * same object in both. The mark says later whose write this was.
 */
export function commitUpdate(previous: Task, next: Task, mark: string): CommitUpdate {
  const $set: Values = { revision: next.revision };
  const $unset: Values = {};
  for (const member of WHOLE) {
    if (previous[member] !== next[member]) setMember({ $set, $unset }, member, [previous, next]);
  }
  setSteps($set, previous, next);
  setScopes($set, previous, next);
  const writer = writerToText({ revision: next.revision, mark });
  const $push: Values = { writers: { $each: [writer], $slice: -WRITERS_KEPT } };
  addJournal({ $set, $push }, previous, next);
  setLookedFor({ $set, $unset }, previous, next);
  setOrUnset({ $set, $unset }, 'awaits', [awaitedText(previous), awaitedText(next)]);
  const isNotable = isNotableChange(previous, next);
  if (isNotable && waitText(previous) !== waitText(next)) {
    setOrUnset({ $set, $unset }, 'waits', [waitText(previous), waitsToDocument(next) ?? null]);
  }
  const update = isNotable ? { $set, $push, $currentDate } : { $set, $push };
  for (const _ in $unset) return { $unset, ...update };
  return update;
}

function setMember(
  parts: Parts,
  member: keyof Task,
  [previous, next]: readonly [previous: Task, next: Task],
): void {
  const before = MEMBERS.writeMember(previous, member, roomIn(previous)) ?? null;
  setOrUnset(parts, member, [before, MEMBERS.writeMember(next, member, roomIn(next)) ?? null]);
}

/** The server says when: one clock for all processes, read as the write is done. */
const $currentDate = { changedAt: true };

/** Null stands for a member that is not there. */
function setOrUnset(
  { $set, $unset }: Parts,
  member: string,
  [before, after]: readonly [before: unknown, after: unknown],
): void {
  if (after !== null && after !== before) $set[member] = after;
  if (after === null && before !== null) $unset[member] = '';
}

/** A chain whose steps run in one process keeps its owner from step to step. */
function setLookedFor(update: Parts, previous: Task, next: Task): void {
  if (hasSameTerms(previous, next)) return;
  const [before, after] = [openActions(previous), openActions(next)];
  setTexts(update, 'owners', [ownersOf(previous, before), ownersOf(next, after)]);
  setTexts(update, 'terms', [searchTermsOf(previous, before), searchTermsOf(next, after)]);
}

function setTexts(
  { $set, $unset }: Parts,
  member: 'owners' | 'terms',
  [before, after]: readonly [before: readonly string[], after: readonly string[]],
): void {
  if (before.length === after.length && before.every((text, at) => text === after[at])) return;
  if (after.length === 0) $unset[member] = '';
  else $set[member] = after;
}

/** An output is not written again where only the rollback moves. */
function setSteps($set: Values, previous: Task, next: Task): void {
  if (previous.runs === next.runs) return;
  for (const place of changedSteps(previous, next)) {
    const before = previous.runs[place];
    const after = next.runs[place];
    const isSame = before?.normal === after?.normal && before?.generation === after?.generation;
    if (isSame) $set[`steps.${place}.rollback`] = rollbackToDocument(next, place);
    // An element after the last one is added at the end.
    else $set[`steps.${place}`] = stepToDocument(next, place);
  }
}

/** Scopes are only ever added at the end, or become others where they are. */
function setScopes($set: Values, previous: Task, next: Task): void {
  if (previous.scopes === next.scopes) return;
  // There is no list of them in a document without any.
  if (previous.scopes.length === 0) {
    $set['scopes'] = next.scopes.map((scope) => SCOPES.write(scope, roomIn(next)));
    return;
  }
  for (const [n, scope] of next.scopes.entries()) {
    if (scope !== previous.scopes[n]) $set[`scopes.${n}`] = SCOPES.write(scope, roomIn(next));
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
    const $each = added.map((entry) => ENTRIES.write(entry, 0));
    update.$push['journal'] = { $each, $slice: -journal.length };
    return;
  }
  update.$set['journal'] = MEMBERS.writeMember(next, 'journal', 0);
}
