import { parseJson } from './parse-json.js';

/** A rule for a stored value, and the words that say that a value breaks it. */
export interface Rule {
  readonly holds: (value: unknown) => boolean;
  /** The words after "is not". */
  readonly means: string;
}

/** A rule for every member of a type: a new member is a line, which the compiler asks for. */
export type Shape<T> = { readonly [Member in keyof T]-?: Rule };

/** A shape as it is gone through. */
export type Rules = readonly (Rule & { readonly member: string })[];

/** A stored document is none of this format; the message says where and never quotes contents. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** A shape as a list, made once. */
export function rulesOf<T>(shape: Shape<T>): Rules {
  return Object.entries<Rule>(shape).map(([member, { holds, means }]) => {
    return { member, holds, means };
  });
}

/** The first member that breaks its rule, as a sentence about `where` + member; null: none does. */
export function faultIn(rules: Rules, value: unknown, where: string): string | null {
  if (!isObject(value)) return `${where === '' ? 'it' : where.slice(0, -1)} is not an object`;
  // By number: this is done for every document that is read.
  for (let n = 0; n < rules.length; n += 1) {
    const { holds, means, member } = rules[n]!;
    const found = value[member];
    if (holds(found)) continue;
    return `${where}${member} is ${found === undefined ? 'missing' : `not ${means}`}`;
  }
  return null;
}

/** Names that may be shown: those of a format, and nothing that a user wrote. */
const MEMBER_NAME = /^[a-zA-Z]{1,40}$/;

/** The first member of an object that no rule is about, as a sentence; null: there is none. */
export function unknownIn(rules: Rules, value: unknown, where: string): string | null {
  if (!isObject(value)) return null;
  const known = new Set(rules.map(({ member }) => member));
  const unknown = Object.keys(value).find((member) => !known.has(member));
  if (unknown === undefined) return null;
  const name = MEMBER_NAME.test(unknown) ? unknown : 'a member';
  return `${where}${name} is unknown to this build`;
}

/**
 * The value behind a JSON text that Backstep wrote. Throws `DocumentFault`, whose message quotes
 * nothing of it: `what` says what the text was. The text of anybody else is for `readJson` of
 * `libs/json`.
 */
export function readStoredJson(text: unknown, what: string): unknown {
  if (typeof text !== 'string') throw new DocumentFault(`${what} is not a text`);
  try {
    return parseJson(text);
  } catch {
    throw new DocumentFault(`${what} is not JSON`);
  }
}

/** A stored list. Throws `DocumentFault`. */
export function readList<T>(value: readonly T[], what: string): readonly T[] {
  if (!Array.isArray(value)) throw new DocumentFault(`${what} is not a list`);
  return value;
}

/** Whether something is an object with members, which a list is not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whatever it is. */
export const ANYTHING: Rule = { holds: () => true, means: 'anything' };
/** Any text. */
export const TEXT: Rule = { holds: isText, means: 'a text' };
/** A whole number from 0 on. */
export const COUNT: Rule = { holds: isCount, means: 'a whole number from 0 on' };
/** A whole number from 1 on. */
export const NUMBERED: Rule = {
  holds: (value) => isCount(value) && value !== 0,
  means: 'a whole number from 1 on',
};
/** A number that is finite. */
export const FINITE: Rule = { holds: Number.isFinite, means: 'a number' };
/** Milliseconds since 1970, also beyond what a date can have: some deadlines never come. */
export const MOMENT: Rule = {
  holds: (value) => typeof value === 'number' && !Number.isNaN(value),
  means: 'a moment',
};
/** Milliseconds since 1970 that a date can have. */
export const DATE: Rule = {
  holds: (value) => typeof value === 'number' && Math.abs(value) <= 8.64e15,
  means: 'a date',
};
/** Yes or no. */
export const FLAG: Rule = { holds: (value) => typeof value === 'boolean', means: 'true or false' };
/** A JSON object. */
export const OBJECT: Rule = { holds: isObject, means: 'an object' };
/** A list of anything. */
export const LIST: Rule = { holds: Array.isArray, means: 'a list' };
/** A list of texts. */
export const TEXT_LIST: Rule = {
  holds: (value) => Array.isArray(value) && value.every(isText),
  means: 'a list of texts',
};
/** Names and values of text. */
export const TEXTS: Rule = {
  holds: (value) => isObject(value) && Object.values(value).every(isText),
  means: 'an object of texts',
};

/** The same, or null. */
export function orNull({ holds, means }: Rule): Rule {
  return { holds: (value) => value === null || holds(value), means: `${means} or null` };
}

/** The same, or nothing: documents of before do not have it. */
export function orAbsent({ holds, means }: Rule): Rule {
  return { holds: (value) => value === undefined || holds(value), means };
}

/** An object whose members keep the rules of a shape. */
export function withMembers<T>(shape: Shape<T>, means: string): Rule {
  const rules = rulesOf(shape);
  return { holds: (value) => faultIn(rules, value, '') === null, means };
}

/** A list of which every entry keeps a rule. */
export function listOf({ holds }: Rule, means: string): Rule {
  return { holds: (value) => Array.isArray(value) && value.every(holds), means };
}

/** One of some values. */
export function oneOf(values: readonly unknown[], means: string): Rule {
  const known = new Set(values);
  return { holds: (value) => known.has(value), means };
}
