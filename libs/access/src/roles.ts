import type { Role } from '#ports';

/** Each has the rights of those before it. */
const LADDER: readonly Role[] = ['viewer', 'starter', 'operator', 'author', 'admin'];

/** Whether a role has the rights of another one. Only an admin has those of a worker besides. */
export function hasRightsOf(role: Role, wanted: Role): boolean {
  if (role === wanted || role === 'admin') return true;
  return LADDER.includes(role) && LADDER.includes(wanted)
    ? LADDER.indexOf(role) >= LADDER.indexOf(wanted)
    : false;
}
