import type { InputSchema, Json, JsonObject, MemberSchema } from '../api/shapes.js';
import { isNumber, longNumberIn } from '../api/long-number.js';
import { objectOrFault } from '../task/action-form.js';
import { type Fault, pointerTo } from '../ui/form-faults.js';
import { WORDS } from '../words.js';

/** How a member of a flow's input is asked for. */
export interface InputField {
  readonly name: string;
  /** The `title` of its schema; its name where that has none. */
  readonly title: string;
  readonly kind: 'text' | 'number' | 'yes-no' | 'choice' | 'json' | 'secret';
  readonly choices: readonly Json[];
  readonly isNeeded: boolean;
  readonly about: string;
  readonly start: string;
}

/** The fields of a start form; what they cannot say is written as JSON. */
export function fieldsOf(input: InputSchema | null): readonly InputField[] {
  return Object.entries(input?.properties ?? {}).map(([name, member]) => ({
    name,
    title: member.title?.trim() || name,
    kind: kindOf(member),
    choices: member.enum ?? [],
    isNeeded: input?.required?.includes(name) === true,
    about: aboutOf(member),
    start: member.default === undefined ? '' : textOf(member.default),
  }));
}

/** Where the parameters of a task stand in the body of its request. */
export const PARAMETERS = '/parameters';

/** The values of a form, and the mistakes in them. */
interface Filled {
  readonly values: JsonObject;
  readonly faults: readonly Fault[];
}

/** The typed fields as parameters, without empty ones, and each mistake in them. */
export function parametersOf(
  fields: readonly InputField[],
  typed: Readonly<Record<string, string>>,
  more: string,
): Filled {
  const others = objectOrFault(more, WORDS.flows.othersBroken);
  const isBroken = typeof others === 'string';
  const values: Record<string, Json> = isBroken ? {} : { ...others };
  const faults: Fault[] = isBroken ? [{ pointer: PARAMETERS, message: others }] : [];
  for (const field of fields) {
    const text = typed[field.name] ?? field.start;
    if (text === '') continue;
    const value = valueOf(field, text);
    const message = faultIn(field, text, value);
    if (message !== null) faults.push({ pointer: pointerTo(PARAMETERS, field.name), message });
    else if (value !== undefined) values[field.name] = value;
  }
  return { values, faults };
}

function faultIn(field: InputField, text: string, value: Json | undefined): string | null {
  const { kind, name } = field;
  const tooLong = isWritten(field) ? longNumberIn(text) : null;
  if (tooLong !== null) return `${name}: ${WORDS.dialog.longNumber(tooLong)}`;
  return value === undefined ? WORDS.flows.notKind(name, WORDS.flows.kinds[kind]) : null;
}

/** `team=payments env=prod` as labels; null: a word has no `=`. */
export function labelsOf(text: string): Readonly<Record<string, string>> | null {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.some((word) => !/^[^=]+=/.test(word))) return null;
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

function kindOf({ enum: choices, secret, type }: MemberSchema): InputField['kind'] {
  if (secret === true) return 'secret';
  if (choices !== undefined) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'yes-no' : 'json';
}

/** Whether the text of a field is JSON, and not a text or one of some choices. */
function isWritten({ kind }: InputField): boolean {
  return kind === 'number' || kind === 'json';
}

function valueOf({ choices, kind }: InputField, text: string): Json | undefined {
  if (kind === 'text' || kind === 'secret') return text;
  if (kind === 'choice') return choices.find((one) => textOf(one) === text);
  if (kind === 'number') return isNumber(text.trim()) ? Number(text) : undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A value as a field shows it. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function aboutOf({ description = '', maximum, minimum, type }: MemberSchema): string {
  const bounds = [
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
  ];
  const kind = [type ?? []].flat().join(` ${WORDS.flows.or} `);
  const form = [kind, ...bounds].filter((part) => part !== '').join(', ');
  if (description === '' || form === '') return description || form;
  return `${description.replace(/[.]$/, '')} (${form})`;
}
