import type { Task } from '#core';
import { isObject, readStoredJson } from '#core/json';
import type { Medium } from '#core/stored';
import { fromSafe, toDate, toMs, toSafe } from './bson-values.js';

/** The last moment that a date can hold: one that never comes is stored as it. */
const LAST = toDate(Infinity).getTime();

/** Most levels of JSON of users that is stored as members. */
const LEVELS_MAX = 20;

/** Bytes that JSON of users takes beyond its text, about, where it is stored as members. */
const EXCESS = { member: 2, entry: 10 } as const;

/** Most places of a task whose JSON of users is stored as members. */
const PLACES_MAX = 1_000;
const ROOM = 512;

/**
 * The base of documents: how many bytes each JSON of users may take beyond its text. A document has
 * a limit, so in one of very many runs there is no room for any.
 */
export function roomIn({ runs, scopes }: Pick<Task, 'runs' | 'scopes'>): number {
  return runs.length + scopes.length > PLACES_MAX ? 0 : ROOM;
}

/** Names that mean something to the server or its driver, or that it cannot keep. */
const UNFIT_NAME = /^$|^\$|[.\0\p{Surrogate}]|^_bsontype$|^__proto__$/u;
/** Texts that UTF-8, or a server, cannot hold. */
const UNFIT_TEXT = /[\0\p{Surrogate}]/u;

/**
 * Documents that people read and query in any tool of MongoDB: moments are dates, and JSON of users
 * has members. Where a name or a text of such JSON cannot be stored, or it is deep or has very many
 * values, all of it is one JSON text.
 */
export const DOCUMENTS: Medium = {
  moment: { write: toDate, read: readMoment },
  text: { write: toSafe, read: (stored) => fromSafe(stored as string) },
  json: {
    write: (value: object, room) => (isFit(value, room) ? value : JSON.stringify(value)),
    read: readJson,
  },
};

function readMoment(stored: unknown): unknown {
  const ms: unknown = toMs(stored as Date);
  return ms === LAST ? Infinity : ms;
}

/** A text that is no JSON stays one, and is found out later. */
function readJson(stored: unknown): unknown {
  if (isObject(stored) || typeof stored !== 'string') return stored;
  try {
    return readStoredJson(stored, 'a value');
  } catch {
    return stored;
  }
}

/** Whether JSON of users can be stored as members. */
function isFit(value: object, room: number): boolean {
  let left = room;
  const fits = (each: unknown, level: number): boolean => {
    if (typeof each === 'string') return !UNFIT_TEXT.test(each);
    if (typeof each !== 'object' || each === null) return true;
    if (level > LEVELS_MAX) return false;
    const isList = Array.isArray(each);
    for (const [name, member] of Object.entries(each)) {
      left -= isList ? EXCESS.entry : EXCESS.member;
      if (left < 0 || UNFIT_NAME.test(name) || !fits(member, level + 1)) return false;
    }
    return true;
  };
  return fits(value, 1);
}
