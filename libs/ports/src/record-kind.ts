import { DocumentFault, faultIn, type Rule, rulesOf, type Shape } from '#core/json';

/**
 * A way to list records of a kind: those that are alike in some members, in the order of another
 * one, and where that is the same, of their ids.
 */
export interface RecordIndex {
  /** Members of text; a list names their values. None: a list may have all records. */
  readonly of: readonly string[];
  /** A member that is a number, or null: then the record is in no list. */
  readonly by: string;
  /** Lists have only records in which this member is true. */
  readonly where?: string;
}

/** The one declaration of a kind of record. Every store keeps records by it alone. */
interface KindSpec<T, Index extends string> {
  /** In metrics and messages. */
  readonly name: string;
  /** For many of them; a store that has a place for each kind names it so. */
  readonly plural: string;
  /** The rule of each member. */
  readonly shape: Shape<T>;
  /** The id, which follows from members that never change. People may read it in messages. */
  idOf(record: T): string;
  /** Members that differ in any two writes of one record; none: no write depends on another. */
  readonly version?: readonly (keyof T & string)[];
  /** Members that are milliseconds since 1970: people may read them as dates in the store. */
  readonly moments?: readonly (keyof T & string)[];
  readonly indexes: {
    readonly [Name in Index]: {
      readonly of: readonly (keyof T & string)[];
      readonly by: keyof T & string;
      readonly where?: keyof T & string;
    };
  };
  /** Whether no task needs them: a store that has lost all of them may still be used. */
  readonly isPassing?: boolean;
}

/** A kind of record, as stores use it. */
export interface RecordKind<T = unknown, Index extends string = string> {
  readonly name: string;
  readonly plural: string;
  /** All members that a record may have. */
  readonly members: readonly string[];
  idOf(record: T): string;
  readonly version: readonly string[];
  readonly moments: readonly string[];
  readonly indexes: Readonly<Record<Index, RecordIndex>>;
  readonly isPassing: boolean;
  /** The record of a stored value, under its id. Throws `DocumentFault`. */
  check(value: unknown, id: string): T;
}

/** The format of records that this build writes, where they do not say another one. */
const FORMAT = 1;

/** A SHA-256 as a text. */
export const SHA_256: Rule = {
  holds: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  means: 'a SHA-256 in hexadecimal',
};

/** A text or a number. */
export const TEXT_OR_NUMBER: Rule = {
  holds: (value) => typeof value === 'string' || Number.isFinite(value),
  means: 'a text or a number',
};

/** Declares a kind of record. */
export function recordKind<T, Index extends string = never>({
  shape,
  ...spec
}: KindSpec<T, Index>): RecordKind<T, Index> {
  const check = recordCheck(shape);
  return {
    version: [],
    moments: [],
    isPassing: false,
    ...spec,
    members: Object.keys(shape),
    idOf: (record) => spec.idOf(record),
    check: (value, id) => {
      const record = check(value);
      if (spec.idOf(record) === id) return record;
      throw new DocumentFault('it is another record than the one whose id it is stored under');
    },
  };
}

/** The place of a record in the lists of an index; null: it is in none. */
export function placeIn(
  { by, of, where }: RecordIndex,
  record: unknown,
): { readonly of: readonly string[]; readonly at: number } | null {
  const members = record as Readonly<Record<string, unknown>>;
  const at = members[by];
  if (typeof at !== 'number' || (where !== undefined && members[where] !== true)) return null;
  return { of: of.map((member) => String(members[member])), at };
}

/** Makes what checks the members of a stored record. It throws `DocumentFault`. */
export function recordCheck<T>(shape: Shape<T>): (value: unknown) => T {
  const rules = rulesOf(shape);
  return (value) => {
    const format = (value as { readonly v?: unknown } | null)?.v ?? FORMAT;
    if (format !== FORMAT) throw new DocumentFault('v is not a format that this version knows');
    const fault = faultIn(rules, value, '');
    if (fault !== null) throw new DocumentFault(fault);
    return value as T;
  };
}

/** The record, if this member of it is what it is stored under. Throws `DocumentFault`. */
export function storedUnder<T>(record: T, member: keyof T & string, id: unknown): T {
  if (record[member] === id) return record;
  throw new DocumentFault(`${member} is not the one under which it is stored`);
}
