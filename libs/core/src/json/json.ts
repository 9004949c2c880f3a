/** A value that survives a round trip through JSON. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** A JSON object: parameters, outputs, labels' home. Members that are `undefined` do not exist. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** JSON with the members of every object in order of their names. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** A copy that shares no object or list with the value. */
export function copyJson<T extends JsonValue>(value: T): T;
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry: JsonValue) => copyJson(entry));
  const object = value as JsonObject;
  if (!holdsObjects(object)) return { ...object };
  const entries = Object.entries(object);
  return Object.fromEntries(entries.map(([name, member]) => [name, member && copyJson(member)]));
}

function holdsObjects(object: JsonObject): boolean {
  for (const name in object)
    if (typeof object[name] === 'object' && object[name] !== null) return true;
  return false;
}

/** Merges objects by key; later ones win. */
export function mergeParameters(objects: readonly JsonObject[]): JsonObject {
  const [first, second, ...more] = objects.filter(hasMembers);
  // All ways define members, so that no key can reach a prototype. A copy costs a tenth of the
  // entries, but one for each of many objects would copy the first ones again and again.
  if (second === undefined) return { ...first };
  if (more.length === 0) return { ...NOTHING, ...first, ...second };
  const entries: [string, JsonValue | undefined][] = [];
  for (const object of objects) entries.push(...Object.entries(object));
  return Object.fromEntries(entries);
}

/** V8 of Node 20 takes long for each member that comes to a copy, as what is spread first is. */
const NOTHING = Object.freeze({});

function hasMembers(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}
