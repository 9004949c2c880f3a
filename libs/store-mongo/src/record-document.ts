import type { Document } from 'mongodb';
import { DocumentFault, readStoredJson } from '#core/json';
import type { RecordKind } from '#ports';
import { fromSafe, toDate, toSafe } from './bson-values.js';

/**
 * A record as stored: a document of its members, as people read them. Moments are dates. Names and
 * texts that the server would not take or keep are written with marks; what lies very deep is text.
 */
export interface RecordDocument extends Document {
  /** The record's id. */
  readonly _id: string;
}

/** The document of a record. */
export function toDocument<T>(kind: RecordKind<T>, record: T): RecordDocument {
  const entries = Object.entries(record as object).map(([member, value]) => {
    return [member, toMember(kind, member, value)] as const;
  });
  return { _id: toSafe(kind.idOf(record)), ...Object.fromEntries(entries) };
}

/** A member of a record as documents have it. */
export function toMember<T>({ moments }: RecordKind<T>, member: string, value: unknown): unknown {
  const isMoment = moments.includes(member) && typeof value === 'number';
  return isMoment ? toDate(value) : toBson(value, 1);
}

/** The record of a document. Throws `DocumentFault`. */
export function fromDocument<T>(kind: RecordKind<T>, document: RecordDocument): T {
  const members: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(document) as [string, unknown][]) {
    if (member !== FORMAT && !kind.members.includes(member)) continue;
    const isDate = value instanceof Date && kind.moments.includes(member);
    members[member] = isDate ? value.getTime() : fromBson(value);
  }
  return kind.check(members, fromSafe(document._id));
}

/** The member that names the format of a record, where it is not the first one. */
export const FORMAT = 'v';

/** MongoDB takes a hundred levels. */
const LEVELS_MAX = 60;

/** A text that stands for a value begins with it. No other text has this mark alone. */
const DEEP = '\ufffd';

/** Characters of names that mean something to the server, or that it cannot keep. */
const UNFIT = /[\p{Surrogate}\ufffd.\0]|^\$/gu;

function toBson(value: unknown, level: number): unknown {
  if (typeof value === 'string') return toSafe(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > LEVELS_MAX) return DEEP + JSON.stringify(value);
  if (Array.isArray(value)) return value.map((each) => toBson(each, level + 1));
  const entries = Object.entries(value).map(([name, each]) => {
    return [name.replace(UNFIT, marked), toBson(each, level + 1)] as const;
  });
  return Object.fromEntries(entries);
}

function marked(unit: string): string {
  return `\ufffd${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function fromBson(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromBson);
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new DocumentFault(NO_JSON);
  const entries = Object.entries(value).map(([name, each]) => [fromSafe(name), fromBson(each)]);
  return Object.fromEntries(entries) as unknown;
}

const NO_JSON = 'a value is of a type that JSON does not have';

function textOf(text: string): unknown {
  const isValue = text.startsWith(`${DEEP}{`) || text.startsWith(`${DEEP}[`);
  return isValue ? readStoredJson(text.slice(1), 'a value') : fromSafe(text);
}
