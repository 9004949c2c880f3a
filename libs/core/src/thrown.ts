/** Longest text that is looked at: a message may be as long as memory. */
const TEXT_MAX = 4_000;

/** Members that may say what went wrong: some errors have a code and no message. */
const TELLING = ['message', 'code', 'name'] as const;

/**
 * The text of a thrown value: its message, code or name, at most 4,000 characters. Throws whatever
 * reading the value throws, as with a getter or a proxy.
 */
export function readThrown(error: unknown): string {
  if (typeof error === 'string') return error.slice(0, TEXT_MAX);
  if (typeof error === 'object' && error !== null) {
    for (const name of TELLING) {
      const said = (error as Readonly<Record<string, unknown>>)[name];
      if (typeof said !== 'string') continue;
      const text = said.slice(0, TEXT_MAX);
      if (text.trim() !== '') return text;
    }
  }
  return `threw ${error === null ? 'null' : typeof error}`;
}

/** The same for code that must go on whatever was thrown. Never throws. */
export function textOfThrown(error: unknown): string {
  try {
    return readThrown(error);
  } catch {
    return 'threw something that cannot be read';
  }
}
