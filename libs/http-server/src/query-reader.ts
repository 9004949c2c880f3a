import { type InputFault, InputFaults } from './problems.js';

/** A query as the router parses it: lists where a parameter is repeated. */
type RawQuery = Readonly<Record<string, string | readonly string[]>>;

/** Reads the parameters of one request, and collects what is wrong with them. */
export class QueryReader {
  private readonly found = new InputFaults();
  private readonly query: RawQuery;

  constructor(query: unknown) {
    this.query = query as RawQuery;
  }

  /** The faults found so far, as far as an answer lists them. */
  get faults(): readonly InputFault[] {
    return this.found.listed;
  }

  /** Refuses all but those listed and those with the prefix: a slip must not widen a search. */
  expectOnly(names: readonly string[], prefix?: string): this {
    const known = prefix === undefined ? names : [...names, `${prefix}<name>`];
    for (const name of Object.keys(this.query)) {
      if (names.includes(name) || (prefix !== undefined && name.startsWith(prefix))) continue;
      const hint =
        known.length === 0 ? 'This request takes none.' : `Known names: ${known.join(', ')}.`;
      this.fault(
        name.slice(0, 60),
        `The parameter \`${name.slice(0, 60)}\` is not known here.`,
        hint,
      );
    }
    return this;
  }

  /** The text of a parameter; undefined where it is absent. */
  text(name: string): string | undefined {
    const value = this.query[name];
    if (value === undefined || typeof value === 'string') return value;
    this.fault(name, `The parameter \`${name}\` may be there only once.`);
    return undefined;
  }

  /** A parameter as parsed by `read`; null from it is a mistake. */
  value<T>(name: string, read: (text: string) => T | null, expected: string): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = read(text);
    if (value !== null) return value;
    this.fault(name, `The parameter \`${name}\` must be ${expected}.`);
    return undefined;
  }

  /** Parameters that begin with a prefix, without it; more than `max` of them are a mistake. */
  withPrefix(prefix: string, max = Infinity): Readonly<Record<string, string>> | undefined {
    const names = Object.keys(this.query).filter((name) => name.startsWith(prefix));
    if (names.length > max) {
      this.fault(prefix.slice(0, -1), `At most ${max} \`${prefix}<name>\` are taken.`);
      return undefined;
    }
    const entries = names.flatMap((name): [string, string][] => {
      const text = this.text(name);
      return text === undefined ? [] : [[name.slice(prefix.length), text]];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }

  /**
   * The pairs `name=value` of a parameter that may be repeated. Wrong are more than `max` of them,
   * and two values of one name, also where `prefix` and the name have the other.
   */
  pairs(
    name: string,
    { max, prefix }: { readonly max: number; readonly prefix: string },
  ): Readonly<Record<string, string>> | undefined {
    const given = this.query[name];
    if (given === undefined) return undefined;
    const texts = typeof given === 'string' ? [given] : given;
    if (texts.length > max) {
      this.fault(name, `At most ${max} \`${name}\` are taken.`);
      return undefined;
    }
    const pairs = new Map<string, string>();
    for (const text of texts) {
      const [key = '', ...rest] = text.split('=');
      const value = rest.join('=');
      const other = pairs.get(key) ?? this.query[prefix + key] ?? value;
      if (key === '' || rest.length === 0) {
        this.fault(name, `The parameter \`${name}\` must be \`name=value\`.`);
      } else if (other !== value) {
        this.fault(name, `The parameter \`${name}\` has two values for one name.`);
      }
      pairs.set(key, value);
    }
    return Object.fromEntries(pairs);
  }

  /** Throws if anything was wrong. */
  finish(): void {
    this.found.finish();
  }

  private fault(name: string, message: string, hint?: string): void {
    this.found.add(() => ({ pointer: `/${name}`, message, ...(hint !== undefined && { hint }) }));
  }
}

/** Refuses every parameter: for addresses that take none. */
export function expectNoParameters(query: unknown): void {
  new QueryReader(query).expectOnly([]).finish();
}
