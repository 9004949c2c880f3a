import type { Role } from '#ports';
import type { Binding, Way } from './bindings.js';

/** A binding as a file has it that fits the schema: it has a subject or a group. */
interface WrittenBinding {
  readonly subject?: string;
  readonly group?: string;
  readonly by?: Way;
  readonly role: Role;
  readonly where?: {
    readonly flows?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly modules?: readonly string[];
  };
}

/** A file of bindings that fits `accessFileSchema`. */
export interface WrittenAccess {
  readonly bindings: readonly WrittenBinding[];
}

/** The bindings of a file, in its order. */
export function bindingsIn({ bindings }: WrittenAccess): readonly Binding[] {
  return bindings.map(({ by = null, group, role, subject = '', where = {} }) => {
    const about =
      group === undefined
        ? ({ to: 'subject', pattern: subject } as const)
        : ({ to: 'group', pattern: group } as const);
    const { flows = null, labels = null, modules = null } = where;
    return { ...about, way: by, role, flows, labels, modules };
  });
}
