/** Names that every server accepts for a user: their greatest length, and their characters. */
const LENGTH_MAX = 32;
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * Names that have another meaning elsewhere, in any case: schemas of the servers and of Backstep,
 * users and roles that servers know, and devices of Windows, where nobody can make a folder or a
 * table file of that name.
 */
const RESERVED = new Set([
  ...['mysql', 'sys', 'information_schema', 'performance_schema', 'ndbinfo', 'innodb', 'backstep'],
  ...['root', 'public', 'none', 'default', 'current_user', 'current_role', 'session_user'],
  ...['con', 'prn', 'aux', 'nul'],
  ...Array.from({ length: 10 }, (_, n) => [`com${n}`, `lpt${n}`]).flat(),
]);

/** The name of an instance is not one that a server and a file system take. */
export class BadInstanceName extends Error {
  override readonly name = 'BadInstanceName';
}

/** The parts of an instance's name. */
interface NameParts {
  readonly taskId: string;
  /** Given by the request; without it the task's id makes the name. */
  readonly instance?: string | null | undefined;
  /** Tells the members of a cluster apart. */
  readonly suffix?: string | null | undefined;
}

/** The name of a new instance, the same for every attempt of a step. */
export function instanceName({ taskId, instance, suffix }: NameParts): string {
  // The end of an id is its random part.
  const base = instance || `db-${taskId.replace(/[^A-Za-z0-9]/g, '').slice(-12)}`;
  const name = checkInstanceName(suffix ? `${base}-${suffix}` : base);
  if (!RESERVED.has(name.toLowerCase())) return name;
  throw new BadInstanceName(`"${name}" is reserved: choose another name for the instance`);
}

/** The name itself, if it is one; also of an instance that was made when fewer were reserved. */
export function checkInstanceName(name: string): string {
  if (NAME.test(name) && name.length <= LENGTH_MAX) return name;
  throw new BadInstanceName(
    `"${name}" is no name of an instance: a letter, then letters, digits, "-" and "_", ` +
      `at most ${LENGTH_MAX} characters`,
  );
}

/** Begins the names of schemas and users on a server: Backstep needs no rights on any others. */
const ACCOUNT_PREFIX = 'bks_';

/** The name of the schema and of the user of an instance on a server. Throws `BadInstanceName`. */
export function accountOf(instance: string): string {
  const account = `${ACCOUNT_PREFIX}${checkInstanceName(instance)}`;
  if (account.length <= LENGTH_MAX) return account;
  const max = LENGTH_MAX - ACCOUNT_PREFIX.length;
  throw new BadInstanceName(`"${instance}" is too long for a server: at most ${max} characters`);
}
