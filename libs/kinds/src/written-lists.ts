import type { Member, StepsMember, BranchesMember } from './member.js';
import { HOLDERS } from './table.js';

type Fields = Readonly<Record<string, unknown>>;

/** A list of steps within a step as people write it or HTTP shows it. */
export interface WrittenList {
  /** The word for it in messages. */
  readonly list: string;
  /** Its title in drawings. */
  readonly title: string;
  /** From the step to the list. */
  readonly path: readonly (string | number)[];
  /** Mostly a list; whatever stands in its place. */
  readonly steps: unknown;
}

/** The lists of steps in a step of any shape, in the order of a file. */
export function* writtenLists(step: unknown): Generator<WrittenList> {
  if (!isObject(step)) return;
  for (const [name, member] of HOLDERS) {
    const value = step[name];
    if (value !== undefined) yield* listsIn(member, { value, path: [name], holder: step });
  }
}

/** A value that is there, and what it stands in. */
interface Place {
  readonly value: unknown;
  readonly path: readonly (string | number)[];
  readonly holder: Fields;
}

function* listsIn(member: Member, { holder, path, value }: Place): Generator<WrittenList> {
  if (member.type === 'steps') {
    yield { list: member.list, title: titleOf(member, holder), path, steps: value };
  } else if (member.type === 'branches' && isObject(value)) {
    for (const [name, steps = null] of Object.entries(value)) {
      yield { list: member.list, title: titleOf(member, { name }), path: [...path, name], steps };
    }
  } else if (member.type === 'entries' && Array.isArray(value)) {
    for (const [i, entry] of value.entries()) {
      if (!isObject(entry)) continue;
      const named = member.named === true ? { name: i + 1, ...entry } : entry;
      yield* listsOfMembers(member.members, { value: named, path: [...path, i] });
    }
  } else if ('members' in member && isObject(value)) {
    yield* listsOfMembers(member.members, { value, path });
  }
}

function* listsOfMembers(
  members: Readonly<Record<string, Member>>,
  { path, value: holder }: { readonly value: Fields; readonly path: Place['path'] },
): Generator<WrittenList> {
  for (const [name, inner] of Object.entries(members)) {
    const value = holder[name];
    if (value !== undefined) yield* listsIn(inner, { value, path: [...path, name], holder });
  }
}

/** The title of a list, with the texts of what holds it; one that is not there is `...`. */
function titleOf({ title }: StepsMember | BranchesMember, holder: Fields): string {
  return title.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = [holder[name]].flat().join(', ');
    return value === '' ? '...' : value;
  });
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
