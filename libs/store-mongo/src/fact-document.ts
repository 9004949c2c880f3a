import { DocumentFault, NO_LOCKS, NO_SCOPES, readStoredJson, readList } from '#core';
import type { Cause, DoneAction, EarlySignal, Edit, FailureTask, Hold } from '#core';
import type { LockTicket, JournalEntry, Pause, Scope, Turn } from '#core';
import {
  fromSafe,
  fromSafeOrNull,
  toDate,
  toDateOrNull,
  toJson,
  toMs,
  toMsOrNull,
  toSafe,
  toSafeOrNull,
} from './bson-values.js';

/** A person's action as stored. */
export interface DoneDocument extends Omit<DoneAction, 'at'> {
  readonly at: Date;
}

/** Why and when a task turned back, as stored. */
export interface TurnDocument extends Omit<Turn, 'at' | 'to' | 'by' | 'cause' | 'children'> {
  readonly at: Date;
  /** Absent: no step failed. */
  readonly cause?: Cause;
  /** Absent: null. */
  readonly to?: number;
  /** The same. */
  readonly by?: string;
  /** JSON text; absent: none of its child tasks stay. */
  readonly children?: string;
}

/** Why a task is on hold, as stored. */
export interface HoldDocument {
  readonly why: Hold['why'];
  /** Absent: null. */
  readonly by?: string;
  /** The same. */
  readonly until?: Date;
}

/** A person's change of parameters as stored; both objects as JSON text. */
export interface EditDocument {
  readonly at: Date;
  readonly actor: string;
  readonly values: string;
  readonly before: string;
  readonly unseenBy: readonly string[];
  readonly winsIn: readonly string[];
}

/** The pause of a task as stored: by whom, when and why. */
export interface PauseDocument extends Omit<Pause, 'at'> {
  readonly at: Date;
}

/** A scope as stored. */
export interface ScopeDocument extends Omit<Scope, 'turned' | 'values'> {
  readonly turned: TurnDocument | null;
  /** JSON text; absent: null. */
  readonly values?: string;
}

/** Stored form of a scope. */
export function scopeToDocument({ turned, values, ...scope }: Scope): ScopeDocument {
  const document = { ...scope, turned: turnToDocument(turned) };
  return values === null ? document : { ...document, values: JSON.stringify(values) };
}

/** A task's scopes. Throws `DocumentFault`. */
export function documentToScopes(
  documents: readonly ScopeDocument[] | undefined,
): readonly Scope[] {
  if (documents === undefined) return NO_SCOPES;
  return readList(documents, 'scopes').map((scope) => {
    const { first, holder, kind, list, round, stage, way } = scope;
    const values = toJson(scope.values ?? null, 'values of a scope');
    const turned = documentToTurn(scope.turned);
    return { kind, holder, list, round, first, way, turned, stage, values };
  });
}

/** Stored form of a journal entry: JSON that the server need not know. */
export function entryToText(entry: JournalEntry): string {
  return JSON.stringify(entry);
}

/** Stored form of the actions of persons that were carried out. */
export function doneToDocument(done: readonly DoneAction[]): readonly DoneDocument[] {
  return done.map(({ key, action, at }) => {
    return { key: toSafeOrNull(key), action: toSafe(action), at: toDate(at) };
  });
}

/** An action of a person behind its stored form. */
export function documentToDone({ key, action, at }: DoneDocument): DoneAction {
  return { key: fromSafeOrNull(key), action: fromSafe(action), at: toMs(at) };
}

/** Stored form of why and when a task turned back. */
export function turnToDocument(turned: Turn | null): TurnDocument | null {
  if (turned === null) return null;
  const { by, cause, children, to, why } = turned;
  return {
    at: toDate(turned.at),
    why,
    message: toSafe(turned.message),
    ...(cause === null ? {} : { cause: mapCause(cause, toSafe) }),
    ...(to === null ? {} : { to }),
    ...(by === null ? {} : { by: toSafe(by) }),
    ...(children === undefined ? {} : { children: JSON.stringify(children) }),
  };
}

/** Why and when a task turned back. Throws `DocumentFault` where the stored form is none. */
export function documentToTurn(document: TurnDocument | null): Turn | null {
  if (document === null) return null;
  if (typeof document !== 'object') throw new DocumentFault('turned is not an object');
  const { at, why, message, to = null, by = null } = document;
  const cause = document.cause === undefined ? null : mapCause(document.cause, fromSafe);
  const words = { message: fromSafe(message), cause, by: fromSafeOrNull(by) };
  const turned: Turn = { at: toMs(at), why, to, ...words };
  if (document.children === undefined) return turned;
  const children = readStoredJson(document.children, 'children of turned');
  return { ...turned, children: children as NonNullable<Turn['children']> };
}

function mapCause({ code, message, step }: Cause, map: (text: string) => string): Cause {
  return { code: map(code), step: map(step), message: map(message) };
}

/** A signal that nothing has waited for, as stored; its payload as JSON text. */
export interface SignalDocument {
  readonly name: string;
  readonly payload: string;
}

/** Stored form of the signals that nothing has waited for. */
export function signalsToDocument(signals: readonly EarlySignal[]): readonly SignalDocument[] {
  return signals.map(({ name, payload }) => {
    return { name: toSafe(name), payload: JSON.stringify(payload) };
  });
}

/** A signal behind its stored form. */
export function documentToSignal({ name, payload }: SignalDocument): EarlySignal {
  return { name: fromSafe(name), payload: toJson(payload, 'payload of a signal') ?? {} };
}

/** Tickets behind their stored form. */
export function documentToLocks(text: string | undefined): readonly LockTicket[] {
  if (text === undefined) return NO_LOCKS;
  const tickets = readList(readStoredJson(text, 'locks') as readonly LockTicket[], 'locks');
  return tickets.length === 0 ? NO_LOCKS : tickets;
}

/** How the failure flow of a task is started, as stored. */
export interface FailureTaskDocument extends Omit<FailureTask, 'dueAt'> {
  readonly dueAt: Date | null;
}

/** Stored form of how the failure flow of a task is started. */
export function failureToDocument(failure: FailureTask | null): FailureTaskDocument | null {
  if (failure === null) return null;
  const { dueAt, looks, message, taskId } = failure;
  return { taskId, message: toSafeOrNull(message), looks, dueAt: toDateOrNull(dueAt) };
}

/** How the failure flow of a task is started. Throws `DocumentFault` where it is no object. */
export function documentToFailure(document: FailureTaskDocument | null): FailureTask | null {
  if (document === null) return null;
  if (typeof document !== 'object') throw new DocumentFault('failureTask is not an object');
  const { dueAt, looks, message, taskId } = document;
  return { taskId, message: fromSafeOrNull(message), looks, dueAt: toMsOrNull(dueAt) };
}

/** Stored form of a hold. */
export function holdToDocument(hold: Hold | null): HoldDocument | null {
  if (hold === null) return null;
  const { by, until, why } = hold;
  return {
    why,
    ...(by === null ? {} : { by: toSafe(by) }),
    ...(until === null ? {} : { until: toDate(until) }),
  };
}

/** Why a task is on hold. Throws `DocumentFault` where the stored form is none. */
export function documentToHold(document: HoldDocument | null): Hold | null {
  if (document === null) return null;
  if (typeof document !== 'object') throw new DocumentFault('hold is not an object');
  const { by = null, until = null, why } = document;
  return { why, by: fromSafeOrNull(by), until: toMsOrNull(until) };
}

/** Stored form of what persons changed of the parameters. */
export function editsToDocument(edits: readonly Edit[]): readonly EditDocument[] {
  return edits.map(({ actor, at, before, unseenBy, values, winsIn }) => ({
    at: toDate(at),
    actor: toSafe(actor),
    values: JSON.stringify(values),
    before: JSON.stringify(before),
    unseenBy: unseenBy.map(toSafe),
    winsIn: winsIn.map(toSafe),
  }));
}

/** A change of parameters behind its stored form. Throws `DocumentFault` where that is none. */
export function documentToEdit(document: EditDocument, n: number): Edit {
  const where = `edits[${n}]`;
  if (typeof document !== 'object' || document === null) {
    throw new DocumentFault(`${where} is not an object`);
  }
  const { actor, at, before, unseenBy, values, winsIn } = document;
  return {
    at: toMs(at),
    actor: fromSafe(actor),
    values: toJson(values, `${where}.values`) ?? {},
    before: toJson(before, `${where}.before`) ?? {},
    unseenBy: readList(unseenBy, `${where}.unseenBy`).map(fromSafe),
    winsIn: readList(winsIn, `${where}.winsIn`).map(fromSafe),
  };
}

/** Stored form of a pause. */
export function pauseToDocument(paused: Pause | null): PauseDocument | null {
  if (paused === null) return null;
  const { at, by, reason } = paused;
  return { at: toDate(at), by: toSafe(by), reason: toSafe(reason) };
}

/** Reads the pause of a task. Throws `DocumentFault` where the stored form is none. */
export function documentToPause(document: PauseDocument | null): Pause | null {
  if (document === null) return null;
  if (typeof document !== 'object') throw new DocumentFault('paused is not an object');
  const { at, by, reason } = document;
  return { at: toMs(at), by: fromSafe(by), reason: fromSafe(reason) };
}

/** A journal entry behind its stored form. Throws `DocumentFault`. */
export function textToEntry(text: string, n: number): JournalEntry {
  return readStoredJson(text, `journal[${n}]`) as JournalEntry;
}
