import { compile, safe } from './compile.js';
import { type Form, type Member, valueOfAbsent } from './form.js';

/** Writes or reads one value; `base` is the moment from which the medium counts. */
type Write = (value: unknown, base: number) => unknown;
type Read = (stored: unknown, base: number) => unknown;

/** A member as a codec writes and reads it; null: as it is. */
export interface Field {
  readonly name: string;
  readonly member: Member<unknown>;
  readonly isList: boolean;
  /** Of a row: the bit that says that the member is in it. */
  readonly bit: number;
  readonly write: Write | null;
  readonly read: Read | null;
}

/** How a form of one shape is read. */
interface Statements {
  readonly isStored: string;
  readonly has: (field: Field) => string;
  readonly get: (field: Field) => string;
}

const STATEMENTS: Readonly<Record<'object' | 'row', Statements>> = {
  object: {
    isStored: "typeof stored === 'object' && stored !== null && !Array.isArray(stored)",
    has: ({ name }) => `stored.${name} !== undefined`,
    get: ({ name }) => `stored.${name}`,
  },
  row: {
    isStored: 'Array.isArray(stored)',
    has: ({ bit }) => `(stored[0] & ${bit}) !== 0`,
    get: () => 'stored[count]',
  },
};

/** Makes the function that writes objects of a form by the names of their members. */
export function compileWriter(fields: readonly Field[]): Write {
  const put = (field: Field, value: string): string => `stored.${field.name} = ${value};`;
  const body = ['const stored = {}; let found;', ...writing(fields, put), 'return stored;'];
  return compile('value', body, written(fields));
}

/**
 * Makes the function that writes objects of a form as the JSON texts of rows, from the texts of
 * their members; those that are shared are numbers. To make lists of rows and then their texts
 * takes half as long again.
 */
export function compileRowWriter(
  fields: readonly Field[],
  shared: readonly unknown[],
): (value: unknown, base: number) => string {
  const put = ({ bit }: Field, value: string): string => `bits += ${bit}; text += ',' + ${value};`;
  const body = [
    "let text = '', bits = 0, found;",
    ...writing(fields, put),
    "return '[' + bits + text + ']';",
  ];
  const write = compile('value', body, written(fields)) as (value: unknown, base: number) => string;
  if (shared.length === 0) return write;
  return (value, base) => {
    const at = shared.indexOf(value);
    return at === -1 ? write(value, base) : String(at);
  };
}

/** A statement for each member, which puts what is to be written. */
function writing(
  fields: readonly Field[],
  put: (field: Field, value: string) => string,
): readonly string[] {
  return fields.map((field, n) => {
    const isThere = `found !== absent${n}${field.isList ? ' && found.length > 0' : ''}`;
    const value = field.write === null ? 'found' : `write${n}(found, base)`;
    return `found = value.${safe(field)}; if (${isThere}) { ${put(field, value)} }`;
  });
}

/** The names that these statements use. */
function written(fields: readonly Field[]): Values {
  return {
    ...Object.fromEntries(fields.map((field, n) => [`write${n}`, field.write])),
    ...Object.fromEntries(fields.map(({ member }, n) => [`absent${n}`, member.absent])),
  };
}

/**
 * Makes the function that reads objects of a form. Everything that is no stored form of one stays
 * as it is.
 */
export function compileReader<T>(
  fields: readonly Field[],
  shape: 'object' | 'row',
  form: Form<T>,
): Read {
  const { get, has, isStored } = STATEMENTS[shape];
  const lines = fields.map((field, n) => {
    const value = field.read === null ? get(field) : `read${n}(${get(field)}, base)`;
    return `if (${has(field)}) { count += 1; last = ${n}; value.${safe(field)} = ${value}; }`;
  });
  const blank = blankOf(form);
  // Written out: Node 20 gives each copy that grows a hidden class of its own.
  const copied = Object.keys(blank).map((name) => `${safe({ name })}: blank.${name}`);
  const body = [
    `if (!(${isStored})) return other(stored);`,
    `const value = { ${copied.join(', ')} }; let count = 0, last = 0;`,
    ...lines,
    'return count === 1 ? sharedOf(value, last) : value;',
  ];
  const shared: readonly unknown[] = form.shared;
  return compile('stored', body, {
    blank,
    other: (stored: unknown) => (shape === 'row' && shared[stored as number]) || stored,
    sharedOf: (value: Values, last: number) => {
      const { name } = fields[last]!;
      return shared.find((known) => (known as Values)[name] === value[name]) ?? value;
    },
    ...Object.fromEntries(fields.map((field, n) => [`read${n}`, field.read])),
  });
}

type Values = Record<string, unknown>;

/** An object of which nothing was written. Those with every member are all made alike. */
function blankOf<T>({ members, shared }: Form<T>): Values {
  const blank: Values = { ...(shared[0] as object | undefined) };
  for (const member of members) {
    if (member.absent !== undefined) blank[member.name] = valueOfAbsent(member);
  }
  return blank;
}
