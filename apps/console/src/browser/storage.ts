/** A browser may refuse to keep anything: then a choice lasts as long as the page. */

/** The text kept under this name; null: nothing, or the storage cannot be read. */
export function kept(name: string, storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(`backstep.${name}`);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets it where it is null. */
export function keep(
  name: string,
  value: string | null,
  storage: () => Storage = () => localStorage,
): void {
  try {
    if (value === null) storage().removeItem(`backstep.${name}`);
    else storage().setItem(`backstep.${name}`, value);
  } catch {
    // Nothing is lost that the page needs.
  }
}
