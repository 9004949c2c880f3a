import { compileReader, compileWriter, type Field } from './codec-code.js';
import { type Form, isWritten, type Member } from './form.js';

/** How a medium has values of a kind. A value that cannot be read stays as it is. */
interface Conversion {
  /** `base` is what the codec was called with. */
  readonly write: (value: never, base: number) => unknown;
  readonly read: (stored: unknown, base: number) => unknown;
}

/** A way to store objects. A kind without a conversion is written as it is. */
export interface Medium {
  /**
   * `object`: by the names of members. `row`: a list of a number, which has a bit for each member
   * that follows, and of these members; words and shared objects are numbers.
   */
  readonly shape: 'object' | 'row';
  readonly moment?: Conversion;
  readonly time?: Conversion;
  readonly text?: Conversion;
  readonly json?: Conversion;
}

/** Writes and reads objects of one form in one medium. */
export interface Codec<T> {
  /** The stored form. Members that are apart are left out. */
  readonly write: (value: T, base: number) => Stored<T>;
  /**
   * The object behind a stored form, which anybody may have written: what is none is given back as
   * something that the check of the form rejects.
   */
  readonly read: (stored: unknown, base: number) => T;
  /** The stored form of one member; undefined: it is not written. */
  readonly writeMember: (value: T, name: keyof T, base: number) => unknown;
}

/** The stored form of an object, as far as a caller may look into it. */
export type Stored<T> = Readonly<Partial<Record<keyof T, unknown>>>;

/** Makes a codec. `apart`: members that something else writes. */
export function codecOf<T>(
  form: Form<T>,
  medium: Medium,
  apart: readonly (keyof T)[] = [],
): Codec<T> {
  const fields = form.members.map((member, n): Field => {
    const { name } = member;
    const bit = member.kind === 'apart' || apart.includes(name as keyof T) ? 0 : 1 << n;
    const isList = Array.isArray(member.absent);
    const { read, write } = conversionOf(member, medium);
    return { name, member, isList, bit, write, read };
  });
  const written = fields.filter(({ bit }) => bit !== 0);
  const write = compileWriter(written, medium.shape, form.shared);
  const read = compileReader(written, medium.shape, form);
  const byName = new Map(written.map((field) => [field.name, field]));
  return {
    write: write as Codec<T>['write'],
    read: read as Codec<T>['read'],
    writeMember: (value, name, base) => {
      const field = byName.get(name as string);
      const found = value[name];
      if (field === undefined || !isWritten(field.member, found)) return undefined;
      return field.write === null ? found : field.write(found, base);
    },
  };
}

/** Both ways of a member at once, so that what it is made of gets one codec for both. */
function conversionOf(member: Member<unknown>, medium: Medium): Ways {
  const { form, kind, of, words = [] } = member;
  switch (kind) {
    case 'object':
      return codecOf(form as Form<unknown>, medium);
    case 'list':
      return listConversion(member, conversionOf(of!, medium));
    case 'word': {
      if (medium.shape !== 'row') return AS_IT_IS;
      const numbers = new Map(words.map((known, n) => [known, n]));
      return {
        write: (value) => numbers.get(value) ?? value,
        read: (stored) => words[stored as number] ?? stored,
      };
    }
    case 'plain':
    case 'apart':
      return AS_IT_IS;
    default:
      return (medium[kind] as Ways | undefined) ?? AS_IT_IS;
  }
}

type Ways = Pick<Field, 'write' | 'read'>;
const AS_IT_IS: Ways = { write: null, read: null };

/** Of a list, and of a value that wraps one. */
function listConversion({ wrap }: Member<unknown>, { read, write }: Ways): Ways {
  const open = (wrap?.open ?? ((value: unknown) => value)) as (value: unknown) => unknown;
  const close = (wrap?.close ?? ((entries: unknown) => entries)) as (entries: unknown) => unknown;
  return {
    write:
      write === null
        ? open
        : (value, base) => (open(value) as unknown[]).map((entry) => write(entry, base)),
    read: (stored, base) => {
      if (!Array.isArray(stored)) return stored;
      return close(read === null ? stored : stored.map((entry) => read(entry, base)));
    },
  };
}

/** The last moment: JSON has no number without end. */
const NEVER = 'never';

/**
 * Moments of texts: milliseconds after `base`. A small number is written several times faster than
 * a large one, and takes less room. A value that is no number stays so: a text would else grow into
 * one that looks like a moment.
 */
const TEXT_MOMENT: Conversion = {
  write: (value: number, base) => (value === Infinity ? NEVER : value - base),
  read: (stored, base) => {
    if (typeof stored === 'number') return stored + base;
    return stored === NEVER ? Infinity : stored;
  },
};

/** Objects as JSON, by the names of their members. */
export const JSON_OBJECTS: Medium = { shape: 'object', moment: TEXT_MOMENT, time: TEXT_MOMENT };

/** Objects as short JSON. */
export const JSON_ROWS: Medium = { shape: 'row', moment: TEXT_MOMENT, time: TEXT_MOMENT };
