import { Refused } from '../api/exchange.js';
import { WORDS } from '../words.js';

/** A mistake in what a form would send, or sent. */
export interface Fault {
  /** The place in the body, as a JSON Pointer. */
  readonly pointer: string;
  readonly message: string;
}

/** The mistakes in a form. */
export interface FormFaults {
  /** Sentences by the pointer of the field that they are about. */
  readonly at: ReadonlyMap<string, string>;
  /** A sentence about the form as a whole; null: there is none. */
  readonly about: string | null;
}

export const NO_FAULTS: FormFaults = { at: new Map(), about: null };

/** The JSON Pointer of a member of `parent`. */
export function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Puts each mistake to the field that has its place; the others are said about the form. */
export function placeFaults(faults: readonly Fault[], fields: readonly string[]): FormFaults {
  const { at, rest } = sortOut(faults, fields);
  if (rest.length > 0) return { at, about: rest.map(textOf).join(' ') };
  return { at, about: at.size === 0 ? null : WORDS.form.faults(at.size) };
}

/** The mistakes that a failed request names, each at its field, or its sentence about all. */
export function faultsOf(failure: unknown, fields: readonly string[]): FormFaults {
  if (!(failure instanceof Refused)) return { ...NO_FAULTS, about: WORDS.away };
  const { message, problem } = failure;
  const named = (problem.errors ?? []).flatMap(({ message: words, pointer }) =>
    words === undefined || pointer === undefined ? [] : [{ pointer, message: words }],
  );
  const { at, rest } = sortOut(named, fields);
  if (rest.length === 0 && at.size > 0) return placeFaults(named, fields);
  const more = rest.filter((fault) => !message.includes(fault.message));
  return { at, about: [message, ...more.map(textOf)].join(' ') };
}

interface Sorted {
  readonly at: ReadonlyMap<string, string>;
  readonly rest: readonly Fault[];
}

function sortOut(faults: readonly Fault[], fields: readonly string[]): Sorted {
  const at = new Map<string, string>();
  const rest: Fault[] = [];
  for (const fault of faults) {
    const field = fieldOf(fault.pointer, fields);
    if (field === undefined) rest.push(fault);
    else at.set(field, `${at.get(field) ?? ''} ${textWithin(field, fault)}`.trim());
  }
  return { at, rest };
}

function textOf(fault: Fault): string {
  return textWithin('', fault);
}

/** The sentence about a place within a field, with the names that lead there: `size: ...`. */
function textWithin(field: string, { message, pointer }: Fault): string {
  const names = pointer.slice(field.length).split('/').slice(1).map(nameOf);
  return names.length === 0 ? message : `${names.join(' › ')}: ${message}`;
}

/** A name as its author wrote it; a JSON Pointer escapes two of its letters. */
function nameOf(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The innermost field that has the place. */
function fieldOf(pointer: string, fields: readonly string[]): string | undefined {
  const around = fields.filter((field) => pointer === field || pointer.startsWith(`${field}/`));
  return around.toSorted((one, other) => other.length - one.length)[0];
}
