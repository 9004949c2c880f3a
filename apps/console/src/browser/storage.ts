/** A browser may refuse to keep anything: then a choice lasts as long as the page. */

/** The text kept under this name; null: nothing, or the storage cannot be read. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`backstep.${name}`);
  } catch {
    return null;
  }
}

/** Keeps a text, or forgets it where it is null. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`backstep.${name}`);
    else localStorage.setItem(`backstep.${name}`, value);
  } catch {
    // Nothing is lost that the page needs.
  }
}
