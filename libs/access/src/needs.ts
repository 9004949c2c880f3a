import type { Role } from '#ports';

/** Each has the rights of those before it. */
const LADDER: readonly Role[] = ['viewer', 'starter', 'operator', 'author', 'admin'];

/** The rights that a route asks of its caller. */
export interface Need {
  /** `none`: not even a key. `any`: a key, of whatever role. */
  readonly role: Role | 'any' | 'none';
  /**
   * The subject of the route. `task`: one that the caller may not even see, so that the lack of
   * a role is told only of a task that is seen. `module`: one that its address names. `all`:
   * everything at once, so that a key with limits does not do. Absent: nothing, or the answer
   * leaves out by itself what the caller does not see.
   */
  readonly about?: 'task' | 'module' | 'all';
  /** A role that may do it besides, without the rights of `role`. */
  readonly or?: Role;
}

const OPEN: Need = { role: 'none' };
const MODULE_PAGE: Need = { role: 'viewer', about: 'module' };
const CONSOLE = /^\/console(?:\/|$)/;

/**
 * The rights that a route needs which declares none, by its method and its path as OpenAPI writes
 * it. Files of the console are open: they hold no data, and a browser has no key to send before its
 * reader has given one. Any other route, such as a page of an author's own executor, is for viewers
 * to read and for admins to use; of pages of modules, those viewers who see the module.
 */
export function needOf(method: string, path: string): Need {
  if (method !== 'GET' && method !== 'HEAD') return { role: 'admin', about: 'all' };
  if (path.startsWith('/modules/')) return MODULE_PAGE;
  return CONSOLE.test(path) ? OPEN : { role: 'viewer', about: 'all' };
}

/** Whether a role has the rights of another one. Only an admin has those of a worker besides. */
export function hasRightsOf(role: Role, wanted: Role): boolean {
  if (role === wanted || role === 'admin') return true;
  return LADDER.includes(role) && LADDER.includes(wanted)
    ? LADDER.indexOf(role) >= LADDER.indexOf(wanted)
    : false;
}
