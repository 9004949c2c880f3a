import { DocumentFault, faultIn, type Rule, rulesOf, type Shape } from '#core/json';

/** The format of records that this build writes, where they do not say another one. */
const FORMAT = 1;

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
