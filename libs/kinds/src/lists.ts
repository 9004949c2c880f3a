import type { ListMember, Member, Members } from './member.js';
import { type Fields, isFields, objectsIn } from './objects.js';
import { HOLDERS } from './table.js';

/** A list of steps within a step. */
export interface HeldList {
  readonly declared: ListMember;
  /** Its own name; of a list that has none the name of the member of the step. */
  readonly name: string;
  /** Its title in drawings. */
  readonly title: string;
  /** The name of one value more that its steps see; null: they see none. */
  readonly sees: string | null;
  /** From the step to the list. */
  readonly path: readonly (string | number)[];
  /** Mostly a list; whatever stands in its place. */
  readonly steps: unknown;
}

/**
 * The lists of steps in a step, in the order of a file: as people write it, as HTTP shows it, or as
 * a plan has it. Takes any shape.
 */
export function listsIn(step: unknown): readonly HeldList[] {
  if (!isFields(step)) return [];
  return HOLDERS.flatMap(([name, member]) => {
    return step[name] === undefined ? [] : listsOf(member, { holder: step, name, path: [name] });
  });
}

/** A member of an object. */
interface Place {
  readonly holder: Fields;
  readonly name: string;
  /** From the step. */
  readonly path: HeldList['path'];
}

function listsOf(member: Member, { holder, name, path }: Place): readonly HeldList[] {
  const value = holder[name] ?? null;
  if (member.type === 'steps') {
    if (value === null && member.optional !== undefined) return [];
    return [listOf(member, holder, { path, steps: value })];
  }
  if (member.type === 'branches') {
    return branchesIn(value).map(([branch, steps]) => {
      return listOf(member, { name: branch }, { path: [...path, branch], steps });
    });
  }
  if (member.type !== 'object of') return [];
  return objectsIn(member, value).flatMap(({ at, fields, members }) => {
    const named = member.named === true ? { name: Number(at[0]) + 1, ...fields } : fields;
    return listsOfMembers(members, named, [...path, ...at]);
  });
}

function listsOfMembers(
  members: Members,
  holder: Fields,
  around: HeldList['path'],
): readonly HeldList[] {
  return Object.entries(members).flatMap(([name, member]) => {
    return listsOf(member, { holder, name, path: [...around, name] });
  });
}

/** Branches with their names: by name, or as a plan has them. */
function branchesIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(isFields(value) ? value : {});
  return value.filter(isFields).map(({ name, steps }) => [String(name), steps]);
}

function listOf(
  declared: ListMember,
  holder: Fields,
  { path, steps }: Pick<HeldList, 'path' | 'steps'>,
): HeldList {
  const { sees = [], title } = declared;
  // A step that holds a list itself has a name that is not the list's.
  const own = path.length > 1 ? holder['name'] : undefined;
  const seen = sees.reduce<unknown>((at, name) => (isFields(at) ? at[name] : null), holder);
  return {
    declared,
    name: textOf(own ?? path[0]),
    title: title.replaceAll(/\{(\w+)\}/g, (_, name: string) => textOf(holder[name])),
    sees: typeof seen === 'string' ? seen : null,
    path,
    steps,
  };
}

/** A text or a number as text, or several of them; anything else is `...`. */
function textOf(value: unknown): string {
  const texts = [value].flat().map((one) => (typeof one === 'string' ? one : ''));
  return typeof value === 'number' ? `${value}` : texts.join(', ') || '...';
}
