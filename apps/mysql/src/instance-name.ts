/** What every server takes as the name of a user. */
const LENGTH_MAX = 32;
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** The name of an instance is not one that a server and a file system take. */
export class BadInstanceName extends Error {
  override readonly name = 'BadInstanceName';
}

/** What a name is made of. */
export interface NameParts {
  readonly taskId: string;
  /** Given by the request; without it the task's id makes the name. */
  readonly instance?: string | null | undefined;
  /** Tells the members of a cluster apart. */
  readonly suffix?: string | null | undefined;
}

/** The name of an instance, the same for every attempt of a step. */
export function instanceName({ taskId, instance, suffix }: NameParts): string {
  // The end of an id is its random part.
  const base = instance || `db-${taskId.replace(/[^A-Za-z0-9]/g, '').slice(-12)}`;
  return checkInstanceName(suffix ? `${base}-${suffix}` : base);
}

/** The name itself, if it is one. */
export function checkInstanceName(name: string): string {
  if (NAME.test(name) && name.length <= LENGTH_MAX) return name;
  throw new BadInstanceName(
    `"${name}" is no name of an instance: a letter, then letters, digits, "-" and "_", ` +
      `at most ${LENGTH_MAX} characters`,
  );
}
