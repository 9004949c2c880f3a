import type { Filter } from 'mongodb';
import { DocumentFault } from '#core';
import { RecordUnreadable } from '#ports';
import { toSafe } from './bson-values.js';

/** A record that people have named, as stored. */
export interface NamedDocument {
  /** Its name. */
  readonly _id: string;
  readonly id: string;
  readonly revision: number;
  /** All of it, as JSON text. */
  readonly record: string;
}

type Version = Pick<NamedDocument, 'id' | 'revision'>;

/** The record, if it is the one that is written beside it. Throws `DocumentFault`. */
export function besideItself<T extends Version>(record: T, { id, revision }: Version): T {
  if (record.id === id && record.revision === revision) return record;
  throw new DocumentFault('id or revision is not that of the record');
}

/**
 * The filter for the document that was read: by its version, or, where it could not be read, by
 * all that was found in the members of its version.
 */
export function versionFilter(
  name: string,
  previous: Version | RecordUnreadable,
): Filter<NamedDocument> {
  const _id = toSafe(name);
  if (!(previous instanceof RecordUnreadable)) {
    const { id, revision } = previous;
    return { _id, id, revision };
  }
  const stored = (previous.stored() ?? {}) as Partial<Record<keyof NamedDocument, unknown>>;
  const members = (['id', 'revision', 'record'] as const).map((member) => {
    const value = stored[member];
    return [member, value === undefined ? { $exists: false } : { $eq: value }] as const;
  });
  return { _id, ...(Object.fromEntries(members) as Filter<NamedDocument>) };
}
