import { DocumentFault } from '#core';
import { RecordUnreadable } from '#ports';

/** A record that people have named, as stored: `tag` tells its writes apart. */
export type NamedRow = readonly [name: string, tag: unknown, record: unknown];

/**
 * The row in whose place a write goes: that of a tag, or the one whose record has these bytes, in
 * hexadecimal; null: there is none.
 */
export type PreviousRow = string | readonly [bytes: string] | null;

interface Version {
  readonly id: string;
  readonly revision: number;
}

/** The tag of a record. */
export function tagOf({ id, revision }: Version): string {
  return `${id} ${revision}`;
}

/** The record, if its tag is the one beside it. Throws `DocumentFault`. */
export function besideItself<T extends Version>(record: T, tag: unknown): T {
  if (tagOf(record) === tag) return record;
  throw new DocumentFault('tag is not that of the record');
}

/** The row in whose place a write goes, as the statements know it. */
export function previousRow(previous: Version | RecordUnreadable | null): PreviousRow {
  if (previous === null) return null;
  if (!(previous instanceof RecordUnreadable)) return tagOf(previous);
  const [, , record] = previous.stored() as readonly unknown[];
  const bytes = typeof record === 'string' ? Buffer.from(record) : (record as Uint8Array);
  return [Buffer.from(bytes).toString('hex').toUpperCase()];
}
