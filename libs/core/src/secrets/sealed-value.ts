import type { JsonObject, JsonValue } from '../json/json.js';
import type { TaskPlan } from '../task/task.js';

/** The text shown in place of a secret wherever people look. */
export const MASK = '***';

/** Every sealed value begins so. */
export const SEAL_MARK = 'bks-sealed:';

const SEALED = /bks-sealed:v\d\.[0-9a-f]{8}\.[\w-]+/g;
const WHOLE = /^bks-sealed:v\d\.[0-9a-f]{8}\.[\w-]+$/;

/** Whether a value is a sealed one, and nothing besides. */
export function isSealed(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.startsWith(SEAL_MARK) && WHOLE.test(value);
}

/** A text, also JSON, with the mask in the place of every sealed value. */
export function maskSealed(text: string): string {
  return text.includes(SEAL_MARK) ? text.replace(SEALED, MASK) : text;
}

/** The sealed values in a text, also in JSON. */
export function sealedIn(text: string): readonly string[] {
  return text.includes(SEAL_MARK) ? (text.match(SEALED) ?? []) : [];
}

/** JSON with every text replaced; what has none stays the same object. */
export function mapTexts(
  value: JsonValue | undefined,
  change: (text: string) => JsonValue,
): JsonValue {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) {
    const next = value.map((each: JsonValue) => mapTexts(each, change));
    return next.some((each, at) => each !== value[at]) ? next : value;
  }
  return mapMembers(value as JsonObject, (member) => mapTexts(member, change));
}

/** An object with every member replaced; the same object where nothing changes. */
export function mapMembers(
  object: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  let isSame = true;
  const entries = Object.entries(object).map(([name, value = null]) => {
    const next = change(value, name);
    if (next !== value) isSame = false;
    return [name, next] as const;
  });
  // fromEntries defines members, so that no key can reach a prototype.
  return isSame ? object : Object.fromEntries(entries);
}

/** JSON for people: sealed values in it are masked. */
export function maskValues<T extends JsonValue | undefined>(value: T): T {
  return mapTexts(value, maskSealed) as T;
}

/**
 * The owner of the sealed values of a task: the id of the outermost task around it. Sealed values
 * can be passed to its child tasks and back; no other task can open them.
 */
export function sealOwner({ parent, taskId }: Pick<TaskPlan, 'parent' | 'taskId'>): string {
  if (parent === null) return taskId;
  return parent.root ?? (parent.depth === 1 ? parent.taskId : taskId);
}
