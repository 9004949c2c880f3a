import { QueryReader } from '#http-server';
import { fits, pattern, type TextForm } from './limits.js';

/** Something that a query may hold: the reading of it, and its part of the OpenAPI document. */
export interface QueryParameter<Value> {
  /**
   * The beginning of names of which any number may be there. The OpenAPI document has no word for
   * such names, so another parameter must do the same. Absent: it has one name.
   */
  readonly prefix?: string;
  /** Absent: it may be left out. */
  readonly required?: true;
  readonly description: string;
  readonly schema: object;
  readonly take: (reader: QueryReader, name: string) => Value;
}

/** A parameter as the OpenAPI document describes it. */
export interface DescribedParameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

/** The parameters of a query, by their names. */
type Declared = Readonly<Record<string, QueryParameter<unknown>>>;

type ValuesOf<D extends Declared> = {
  readonly [Name in keyof D]: ReturnType<D[Name]['take']>;
};

/** A query that is being read: its values, and the reader that knows the mistakes so far. */
interface Reading<D extends Declared> {
  readonly reader: QueryReader;
  readonly values: ValuesOf<D>;
}

/** The query of a route: how it is described, and how it is read. */
export interface Query<Value> {
  /** Its parameters as the OpenAPI document has them. */
  readonly parameters: readonly DescribedParameter[];
  /** The value of a query. Throws a `Problem` with all that is wrong. */
  read(raw: unknown): Value;
  /** Reads its parameters, of which some may be wrong. */
  begin(raw: unknown): { readonly reader: QueryReader };
}

/** The query of a route: declared once, read by it, and described by it. */
export class RequestQuery<D extends Declared> implements Query<ValuesOf<D>> {
  private readonly declared: readonly (readonly [string, QueryParameter<unknown>])[];
  /** Names that may be there, but for those with a prefix. */
  private readonly names: readonly string[];
  private readonly prefix: string | undefined;

  /** `isOpen`: others than those that are declared are left alone. Default: they are refused. */
  constructor(
    declared: D,
    private readonly isOpen = false,
  ) {
    const all = Object.entries(declared);
    this.declared = all;
    this.prefix = all.find((entry) => entry[1].prefix !== undefined)?.[1].prefix;
    this.names = all.filter(([, one]) => one.prefix === undefined).map(([name]) => name);
  }

  get parameters(): readonly DescribedParameter[] {
    const named = this.declared.filter(([, { prefix }]) => prefix === undefined);
    return named.map(([name, { description, required = false, schema }]) => {
      return { name, in: 'query', required, description, schema };
    });
  }

  read(raw: unknown): ValuesOf<D> {
    const { reader, values } = this.begin(raw);
    reader.finish();
    return values;
  }

  /**
   * The same query, of which handlers get what `make` makes of its values. It gets values of wrong
   * parameters as undefined, and the reader knows the mistakes so far.
   */
  as<Made>(make: (values: ValuesOf<D>, reader: QueryReader) => Made): Query<Made> {
    const read = (raw: unknown): Made => {
      const { reader, values } = this.begin(raw);
      const made = make(values, reader);
      reader.finish();
      return made;
    };
    return { parameters: this.parameters, begin: (raw) => this.begin(raw), read };
  }

  begin(raw: unknown): Reading<D> {
    const reader = new QueryReader(raw);
    if (!this.isOpen) reader.expectOnly(this.names, this.prefix);
    // Members that are put one after another are found faster than those of a list of pairs.
    const values: Record<string, unknown> = {};
    for (const [name, { take }] of this.declared) values[name] = take(reader, name);
    return { reader, values: values as ValuesOf<D> };
  }
}

/** A parameter whose text is read by a function. */
export interface Rule<Value> {
  readonly schema: object;
  /** Completes `must be`. */
  readonly expected: string;
  /** Null: the text does not fit. */
  readonly read: (text: string) => Value | null;
}

/** A parameter that may be absent. */
export function parameter<Value>(
  description: string,
  { expected, read, schema }: Rule<Value>,
): QueryParameter<Value | undefined> {
  return { description, schema, take: (reader, name) => reader.value(name, read, expected) };
}

/** The same with a value where it is absent. */
export function orElse<Value extends boolean | number | string>(
  { take, ...rest }: QueryParameter<Value | undefined>,
  fallback: NoInfer<Value>,
): QueryParameter<Value> {
  return {
    ...rest,
    schema: { ...rest.schema, default: fallback },
    take: (reader, name) => take(reader, name) ?? fallback,
  };
}

/** A whole number within limits. */
export function wholeRule(min: number, max: number, expected?: string): Rule<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    expected: expected ?? `a whole number from ${min} to ${max}`,
    read: (text) => {
      const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
      return number >= min && number <= max ? number : null;
    },
  };
}

/** Text that fits a pattern. */
export function patternRule(source: string, expected: string): Rule<string> {
  const rule = pattern(source);
  return {
    schema: { type: 'string', pattern: source },
    expected,
    read: (text) => (rule.test(text) ? text : null),
  };
}

/** Text of a form. */
export function formRule(form: TextForm, expected: string): Rule<string> {
  const isFit = fits(form);
  return { schema: form, expected, read: (text) => (isFit(text) ? text : null) };
}

/** Any text of this many characters. */
export function sizeRule(min: number, max: number, expected: string): Rule<string> {
  return {
    schema: { type: 'string', minLength: min, maxLength: max },
    expected,
    read: (text) => {
      // JSON Schema counts code points.
      const length = text.length > 2 * max ? Infinity : Array.from(text).length;
      return length >= min && length <= max ? text : null;
    },
  };
}

/** One of a few texts. */
export function wordRule<const Word extends string>(
  words: readonly Word[],
  expected: string,
): Rule<Word> {
  const schema = { type: 'string', enum: [...words] };
  const read = (text: string): Word | null => words.find((word) => word === text) ?? null;
  return { schema, expected, read };
}

/** The same rule, and the text made into something else; null: it cannot be. */
export function readAs<Value>(
  { read, ...rest }: Rule<string>,
  make: (text: string) => Value | null,
): Rule<Value> {
  return {
    ...rest,
    read: (text) => {
      const fitting = read(text);
      return fitting === null ? null : make(fitting);
    },
  };
}
