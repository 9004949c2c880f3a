import { compile, safe } from './compile.js';
import { FLAG, isObject, LIST, MOMENT, OBJECT, orNull, type Rule, TEXT } from '../json/shape.js';

/** Stands for "no value": such a member is always written. */
const ALWAYS = Symbol('always');

/**
 * A member of something that is stored: when it is written, how, and which values it may have.
 * Media write the kinds in their own ways:
 *
 * - `plain`: as JSON has it; `text`: any text; `word`: one of a list, by text or number
 * - `moment`: milliseconds since 1970, `Infinity` for never; `time`: a number near such moments
 * - `json`: JSON of users
 * - `object`, `list`: of members, and of entries
 * - `apart`: not written with the others
 */
export interface Member<V> {
  readonly kind:
    | 'plain'
    | 'text'
    | 'word'
    | 'moment'
    | 'time'
    | 'json'
    | 'object'
    | 'list'
    | 'apart';
  /** The check that does not go into the value. */
  readonly rule: Rule;
  /** The value with which it is not written; `undefined`: then it is no member either. */
  readonly absent: V | typeof ALWAYS | undefined;
  /** In the order of their numbers. */
  readonly words?: readonly unknown[];
  readonly form?: Form<never>;
  readonly of?: Member<unknown>;
  /** The list that a value wraps. */
  readonly wrap?: Wrap;
}

/** How the list in a value is taken out, and put back. */
interface Wrap {
  readonly open: (value: never) => unknown;
  readonly close: (entries: never) => unknown;
}

/** The members of a type, each in one line: the compiler asks for a new one. */
type Members<T> = { readonly [M in keyof T]-?: Member<T[M]> };

/** The one description of how something is stored. */
export interface Form<T> {
  /** In their order, which is that of their numbers: a new member is the last one. */
  readonly members: readonly (Member<unknown> & { readonly name: string })[];
  /** Objects that are known by identity; each of them has one member alone that is written. */
  readonly shared: readonly T[];
  /** Whether a value is one. A loop over the members would take three times as long. */
  readonly isMet: (value: unknown) => boolean;
}

/** Most members of a form: rows have a bit for each. */
const MEMBERS_MAX = 31;

/** Makes a form. Throws where it has too many members. */
export function formOf<T>(members: Members<T>, shared: readonly T[] = []): Form<T> {
  const all = Object.entries(members as Record<string, Member<unknown>>).map(([name, member]) => {
    return { name, ...member };
  });
  if (all.length > MEMBERS_MAX) throw new Error(`a form has at most ${MEMBERS_MAX} members`);
  return { members: all, shared, isMet: checkOf(all, shared) };
}

function checkOf(
  members: Form<unknown>['members'],
  shared: readonly unknown[],
): Form<unknown>['isMet'] {
  const lines = members.map((member, n) => {
    const isWrong = `found !== absent${n} && !holds${n}(found)`;
    return `found = value.${safe(member)}; if (${isWrong}) return false;`;
  });
  const body = [
    shared.length === 0 ? '' : 'if (shared.includes(value)) return true;',
    'if (!isObject(value)) return false;',
    'let found;',
    ...lines,
    'return true;',
  ];
  const scope = {
    isObject,
    shared,
    ...Object.fromEntries(members.map(({ absent }, n) => [`absent${n}`, absent])),
    ...Object.fromEntries(members.map((member, n) => [`holds${n}`, memberCheckOf(member)])),
  };
  return compile('value', body, scope) as Form<unknown>['isMet'];
}

function memberCheckOf({ form, of, rule, wrap }: Member<unknown>): Rule['holds'] {
  if (form !== undefined) return form.isMet;
  if (of === undefined) return rule.holds;
  const isMet = memberCheckOf(of);
  return (found) => {
    if (!rule.holds(found)) return false;
    const entries = wrap === undefined ? found : wrap.open(found as never);
    return (entries as readonly unknown[]).every(isMet);
  };
}

/** A value that JSON has as it is. */
export function plain<V>(rule: Rule): Member<V> {
  return { kind: 'plain', rule, absent: ALWAYS };
}

/** Any text, also half a character. */
export const text: Member<string> = { kind: 'text', rule: TEXT, absent: ALWAYS };

/** Milliseconds since 1970; `Infinity`: it never comes. */
export function moment(rule = MOMENT): Member<number> {
  return { kind: 'moment', rule, absent: ALWAYS };
}

/** A number near the moments of its task, which need not be one. */
export function time(rule: Rule): Member<number> {
  return { kind: 'time', rule, absent: ALWAYS };
}

/** A JSON object of users. */
export function json<V extends object>(): Member<V> {
  return { kind: 'json', rule: OBJECT, absent: ALWAYS };
}

/** One of some words. Their order is that of their numbers: a new word is the last one. */
export function word<V extends string>(words: readonly V[], rule: Rule): Member<V> {
  return { kind: 'word', words, rule, absent: ALWAYS };
}

/** An object of a form. */
export function object<T>(form: Form<T>): Member<T> {
  return { kind: 'object', form: form as Form<never>, rule: OBJECT, absent: ALWAYS };
}

/** A list; an empty one is not written. */
export function list<V>(
  of: Member<V>,
  none: readonly V[] = Object.freeze([]),
): Member<readonly V[]> {
  return { kind: 'list', of, rule: LIST, absent: none };
}

/** A value that holds a list, which is always written. */
export function holding<V>(of: Member<unknown>, rule: Rule, wrap: Wrap): Member<V> {
  return { kind: 'list', of, rule, wrap, absent: ALWAYS };
}

/** A member that others write, or that follows from the rest. */
export function apart<V>(rule: Rule, absent?: V): Member<V> {
  return { kind: 'apart', rule, absent: absent === undefined ? ALWAYS : absent };
}

/** A flag that is not written while it is false. */
export const flag: Member<boolean> = { kind: 'plain', rule: FLAG, absent: false };

/** The same, which is not written with this value. */
export function unless<V>(member: Member<V>, absent: V): Member<V> {
  return { ...member, absent };
}

/** The same, or null, which is not written. */
export function nullable<V>(member: Member<V>): Member<V | null> {
  return { ...member, rule: orNull(member.rule), absent: null };
}

/** The same, or no such member. */
export function optional<V>(member: Member<V>): Member<V> {
  return { ...member, absent: undefined };
}

/** Whether a member with this value is written. */
export function isWritten({ absent, kind }: Member<unknown>, value: unknown): boolean {
  if (value === absent || kind === 'apart') return false;
  return !(Array.isArray(absent) && Array.isArray(value) && value.length === 0);
}

/** The value of a member that was not written. */
export function valueOfAbsent({ absent }: Member<unknown>): unknown {
  return absent === ALWAYS ? undefined : absent;
}

/**
 * Why a value is none of the form; null: it is one. `where` names it, and is empty for a task. No
 * content of users is looked into.
 */
export function formFault<T>(form: Form<T>, value: unknown, where: string): string | null {
  if (form.isMet(value)) return null;
  const fault = faultInside(form, value) ?? ' is none';
  if (where !== '') return where + fault;
  return fault.startsWith('.') ? fault.slice(1) : `it${fault}`;
}

/** The same, as the end of a sentence that begins with the name of the value. */
function faultInside({ members, shared }: Form<unknown>, value: unknown): string | null {
  if (shared.includes(value)) return null;
  if (!isObject(value)) return ' is not an object';
  for (const member of members) {
    const found = value[member.name];
    if (found === member.absent) continue;
    const fault = memberFault(member, found);
    if (fault !== null) return `.${member.name}${fault}`;
  }
  return null;
}

function memberFault(member: Member<unknown>, found: unknown): string | null {
  const { form, of, rule, wrap } = member;
  if (!rule.holds(found)) return found === undefined ? ' is missing' : ` is not ${rule.means}`;
  if (form !== undefined) return faultInside(form, found);
  if (of === undefined) return null;
  const entries = (wrap === undefined ? found : wrap.open(found as never)) as readonly unknown[];
  for (let n = 0; n < entries.length; n += 1) {
    const fault = memberFault(of, entries[n]);
    if (fault !== null) return `[${n}]${fault}`;
  }
  return null;
}
