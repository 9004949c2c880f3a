import type { Members, ObjectMember } from './member.js';

/** An object whose members are looked at by their names. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object in a value, with its declared members. */
interface Placed {
  readonly members: Members;
  readonly fields: Fields;
  /** Its position, where the value is a list. */
  readonly at: readonly number[];
}

/** The objects that the value of a member is, whatever its shape. Entries may be none. */
export function objectsIn(member: ObjectMember, value: unknown): readonly Placed[] {
  const { entry, orTrue } = member;
  const values: readonly unknown[] =
    entry === undefined ? [value] : Array.isArray(value) ? value : [];
  return values.flatMap((one, i) => {
    const fields = one === true && orTrue === true ? {} : one;
    if (!isFields(fields)) return [];
    return [{ members: formOf(member, fields), fields, at: entry === undefined ? [] : [i] }];
  });
}

function formOf({ forms }: ObjectMember, fields: Fields): Members {
  return forms.find((form) => (Object.keys(form)[0] ?? '') in fields) ?? forms[0] ?? {};
}

/** The value of a member with each of its objects in another shape. */
export function mapObjects(
  member: ObjectMember,
  value: unknown,
  map: (object: Placed) => unknown,
): unknown {
  const mapped = objectsIn(member, value).map(map);
  return member.entry === undefined ? mapped[0] : mapped;
}

/** Whether a value is an object with members. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
