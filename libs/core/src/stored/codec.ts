import { compileReader, compileRowWriter, compileWriter, type Field } from './codec-code.js';
import { type Form, isWritten, type Member } from './form.js';

/** How a medium has values of a kind. A value that cannot be read stays as it is. */
interface Conversion {
  /** `base` is what the codec was called with. */
  readonly write: (value: never, base: number) => unknown;
  readonly read: (stored: unknown, base: number) => unknown;
}

/**
 * A way to store objects by the names of their members. A kind without a conversion is written as
 * it is.
 */
export interface Medium {
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
  const fields = fieldsOf(form, apart, (member) => conversionOf(member, medium));
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    write: compileWriter(fields) as Codec<T>['write'],
    read: compileReader(fields, 'object', form) as Codec<T>['read'],
    writeMember: (value, name, base) => {
      const field = byName.get(name as string);
      const found = value[name];
      if (field === undefined || !isWritten(field.member, found)) return undefined;
      return field.write === null ? found : field.write(found, base);
    },
  };
}

/** Writes objects of one form as the JSON texts of rows, and reads these rows. */
interface Rows<T> {
  readonly write: (value: T, base: number) => string;
  /** As a codec reads. */
  readonly read: Codec<T>['read'];
}

/**
 * Makes the short form of objects: a list of a number, which has a bit for each member that
 * follows, and of these members; words and shared objects are numbers.
 */
export function rowsOf<T>(form: Form<T>, apart: readonly (keyof T)[] = []): Rows<T> {
  const fields = fieldsOf(form, apart, rowConversionOf);
  return {
    write: compileRowWriter(fields, form.shared),
    read: compileReader(fields, 'row', form) as Rows<T>['read'],
  };
}

/** The members that a codec writes. */
function fieldsOf<T>(
  form: Form<T>,
  apart: readonly (keyof T)[],
  waysOf: (member: Member<unknown>) => Ways,
): readonly Field[] {
  return form.members.flatMap((member, n): readonly Field[] => {
    const { name } = member;
    if (member.kind === 'apart' || apart.includes(name as keyof T)) return [];
    return [{ name, member, isList: Array.isArray(member.absent), bit: 1 << n, ...waysOf(member) }];
  });
}

/** Both ways of a member at once, so that what it is made of gets one codec for both. */
function conversionOf(member: Member<unknown>, medium: Medium): Ways {
  const { form, kind, of } = member;
  switch (kind) {
    case 'object':
      return codecOf(form as Form<unknown>, medium);
    case 'list': {
      const { read, write } = conversionOf(of!, medium);
      return { write: listWriter(member, write), read: listReader(member, read) };
    }
    case 'word':
    case 'plain':
    case 'apart':
      return AS_IT_IS;
    default:
      return (medium[kind] as Ways | undefined) ?? AS_IT_IS;
  }
}

type Ways = Pick<Field, 'write' | 'read'>;
const AS_IT_IS: Ways = { write: null, read: null };

/** The same of a row: what is written is JSON text. */
function rowConversionOf(member: Member<unknown>): Ways {
  const { form, kind, of, words = [] } = member;
  switch (kind) {
    case 'object':
      return rowsOf(form as Form<unknown>);
    case 'list': {
      const { read, write } = rowConversionOf(of!);
      const texts = listWriter(member, write);
      const join = (value: unknown, base: number): string => {
        return `[${(texts(value, base) as readonly string[]).join(',')}]`;
      };
      return { write: join, read: listReader(member, read) };
    }
    case 'word': {
      const numbers = new Map(words.map((known, n) => [known, String(n)]));
      return {
        write: (value) => numbers.get(value) ?? jsonText(value),
        read: (stored) => words[stored as number] ?? stored,
      };
    }
    case 'moment':
    case 'time':
      return {
        write: (value, base) => jsonText(TEXT_MOMENT.write(value as never, base)),
        read: TEXT_MOMENT.read,
      };
    default:
      return { write: jsonText, read: null };
  }
}

/**
 * The JSON text of a value. Most are numbers and names, which need no escapes: the built-in writer
 * takes ten times as long for them.
 */
function jsonText(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && isPlain(value)) return `"${value}"`;
  return JSON.stringify(value) ?? 'null';
}

/** Characters of a text up to which it is looked through for those that JSON escapes. */
const NAME_MAX = 64;

function isPlain(text: string): boolean {
  if (text.length > NAME_MAX) return false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Writes a list, and a value that wraps one. */
function listWriter({ wrap }: Member<unknown>, write: Ways['write']): NonNullable<Ways['write']> {
  const open = (wrap?.open ?? ((value: unknown) => value)) as (value: unknown) => unknown;
  if (write === null) return open;
  return (value, base) => (open(value) as unknown[]).map((entry) => write(entry, base));
}

function listReader({ wrap }: Member<unknown>, read: Ways['read']): Ways['read'] {
  const close = (wrap?.close ?? ((entries: unknown) => entries)) as (entries: unknown) => unknown;
  return (stored, base) => {
    if (!Array.isArray(stored)) return stored;
    return close(read === null ? stored : stored.map((entry) => read(entry, base)));
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

/** Objects as JSON. */
export const JSON_OBJECTS: Medium = { moment: TEXT_MOMENT, time: TEXT_MOMENT };
